//! Search against its plainest form: every event told and looked through, on sessions whose records spell what they say
//! in any way that JSON has.

use palimpsest_history::{Options, Role, Roles, Selection, Session};
use regex::RegexBuilder;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::support::{TempFile, all, everything, figure, rounds};

#[test]
fn search_is_what_looking_through_finds() {
    let sessions = rounds(5_000, 80);
    let (mut searches, mut hits) = (0, 0);
    for number in 0..sessions {
        let mut random = Random(number as u64 * 2 + 1);
        // Some of several blocks.
        let large = number % 40 == 8;
        let text = session_text(&mut random, if large { 1 << 18 } else { 0 });
        let cache_bytes = [0, 1 << 20, usize::MAX][random.below(3)];
        let file = TempFile::new(&text);
        let session = Session::open_with(file.path(), Options { cache_bytes }).expect("open");
        let events = all(&session);
        for _ in 0..if large { 2 } else { 6 } {
            let queries: Vec<String> = (0..1 + random.below(2)).map(|_| query(&mut random, &events)).collect();
            if queries.iter().any(String::is_empty) {
                continue;
            }
            let roles: Option<Roles> =
                (random.below(3) == 0).then(|| [Role::ALL[random.below(4)]].into_iter().collect());
            let after = (random.below(3) == 0).then(|| random.below(20) as u64);
            let before = (random.below(3) == 0).then(|| random.below(40) as u64);
            let selection = Selection { roles, after, before, ..everything() };
            let expected: Vec<(u64, Option<usize>)> = events
                .iter()
                .filter(|event| {
                    roles.is_none_or(|roles| roles.contains(event.role))
                        && after.is_none_or(|a| event.seq > a)
                        && before.is_none_or(|b| event.seq < b)
                })
                .filter_map(|event| position(&event.content, &queries).map(|at| (event.seq, at)))
                .collect();
            // The second time a block is decoded, the third time it is in the cache.
            for _ in 0..3 {
                searches += 1;
                let found = session.search(&queries, &selection).expect("search").items;
                let seqs: Vec<u64> = found.iter().map(|item| item.seq).collect();
                let wanted: Vec<u64> = expected.iter().map(|(seq, _)| *seq).collect();
                hits += seqs.len();
                assert_eq!(seqs, wanted, "session {number}: {queries:?} {selection:?}");
                for (item, (_, at)) in found.iter().zip(&expected) {
                    if let Some(at) = at {
                        assert_eq!(item.offset_chars, Some(*at), "session {number}: {queries:?}");
                    }
                }
            }
        }
    }
    assert!(hits > searches / 8, "{hits} hits in {searches} searches test little");
    figure(&format!(
        "{searches} searches of {sessions} sessions in any spelling, {hits} hits, those that looking through finds"
    ));
}

/// Whether and, where the text is in NFC, at which code point.
fn position(text: &str, queries: &[String]) -> Option<Option<usize>> {
    let find = |text: &str, query: &str| {
        let regex = RegexBuilder::new(&regex::escape(query)).case_insensitive(true).build().expect("a literal");
        regex.find(text).map(|found| text[..found.start()].chars().count())
    };
    let composed: String = text.nfc().collect();
    let hits: Vec<usize> = queries
        .iter()
        .flat_map(|query| [find(text, query), find(&composed, &query.nfc().collect::<String>())])
        .flatten()
        .collect();
    hits.iter().min().map(|at| is_nfc(text).then_some(*at))
}

const WORDS: &[&str] = &[
    "a",
    "B",
    "k",
    "K",
    "s",
    "ſ",
    "\u{212a}",
    "é",
    "e\u{301}",
    "\u{301}",
    "n",
    "t",
    "u",
    "\"",
    "\\",
    "/",
    "\n",
    "\t",
    "\u{1b}",
    "\u{7f}",
    "\u{0}",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    " ",
    "-",
    "0",
    "1",
    "--- output ---",
    "output",
    "needle",
    "NEEDLE",
    "\u{37e}",
    ";",
    "\u{1fef}",
    "`",
    "\u{2260}",
    "=",
    "\u{338}",
    "=\u{338}",
    "中",
    "😀",
    "\u{fffd}",
    "ß",
    "İ",
    "unknown",
    "command",
    "bash",
    "{}",
    "\":",
    "content",
    "type",
    "text",
    "\u{212b}",
    "A\u{30a}",
    "\u{f900}",
    "\u{8c48}",
    "\u{1100}\u{1161}",
    "가",
    "\u{323}",
    "\u{2028}",
    "read",
    "u00e9",
    "\\u0041",
    "\u{0958}",
    "\u{915}\u{93c}",
    "true",
    "null",
    "secret",
    "[output withheld",
    "ǆ",
    "ϐ",
    "β",
    "\u{345}",
    "ι",
    "\u{1fbe}",
    "ᾳ",
    "α",
];

fn words(random: &mut Random) -> String {
    (0..random.below(6)).map(|_| WORDS[random.below(WORDS.len())]).collect()
}

fn query(random: &mut Random, events: &[palimpsest_history::Item]) -> String {
    if random.below(3) == 0 || events.is_empty() {
        return words(random);
    }
    // A piece of an event, perhaps in another spelling.
    let event = &events[random.below(events.len())].content;
    let count = event.chars().count().min(3000);
    let piece: String = event.chars().skip(random.below(count.max(1))).take(1 + random.below(24)).collect();
    match random.below(6) {
        0 => piece.nfd().collect(),
        1 => piece.nfc().collect(),
        2 => piece.to_uppercase(),
        3 => piece.to_lowercase(),
        _ => piece,
    }
}

fn session_text(random: &mut Random, filler: usize) -> String {
    let mut text = String::from("{\"type\":\"session\",\"version\":3,\"id\":\"12345678\"}\n");
    let mut parent = "null".to_owned();
    let wild = random.below(3);
    for number in 0..1 + random.below(if filler > 0 { 24 } else { 14 }) {
        let content = |random: &mut Random| {
            let mut said = words(random);
            if filler > 0 && random.below(3) == 0 {
                said += &"a filler\n ".repeat(random.below(filler) / 10);
                said += &words(random);
            }
            let said = string(&said, random, wild);
            if random.below(2) == 0 {
                said
            } else {
                let second = string(&words(random), random, wild);
                let space = gap(random, wild);
                format!("[{{\"type\":\"text\",{space}\"text\":{said}}},{{\"type\":\"text\",\"text\":{second}}}]")
            }
        };
        let message = match random.below(8) {
            0 | 1 => format!("\"type\":\"message\",\"message\":{{\"role\":\"user\",\"content\":{}}}", content(random)),
            2 | 3 => {
                let parts: Vec<String> = (0..random.below(4))
                    .map(|part| {
                        if part == 0 {
                            return format!("{{\"type\":\"text\",\"text\":{}}}", string(&words(random), random, wild));
                        }
                        let id = format!("c{}", random.below(6));
                        let mut call = format!("{{\"type\":\"toolCall\",\"id\":\"{id}\"");
                        if random.below(6) > 0 {
                            call += &format!(",\"name\":{}", string(&words(random), random, wild));
                        }
                        if random.below(6) > 0 {
                            let v = if random.below(8) == 0 { value(random, wild, 0) } else { object(random, wild, 0) };
                            call += &format!(",\"arguments\":{v}");
                        }
                        call + "}"
                    })
                    .collect();
                format!("\"type\":\"message\",\"message\":{{\"role\":\"assistant\",\"content\":[{}]}}", parts.join(","))
            }
            4 => {
                let name = if random.below(4) > 0 {
                    format!("\"toolName\":{},", string(&words(random), random, wild))
                } else {
                    String::new()
                };
                let c = content(random);
                format!(
                    "\"type\":\"message\",\"message\":{{\"role\":\"toolResult\",{name}\"toolCallId\":\"c{}\",\"content\":{c}}}",
                    random.below(6)
                )
            }
            5 => {
                let (c, o) = (string(&words(random), random, wild), string(&words(random), random, wild));
                format!(
                    "\"type\":\"message\",\"message\":{{\"role\":\"bashExecution\",\"command\":{c},\"output\":{o},\"excludeFromContext\":{}}}",
                    random.below(2) == 0
                )
            }
            6 => format!("\"type\":\"custom_message\",\"content\":{}", content(random)),
            _ => format!("\"type\":\"compaction\",\"summary\":{}", string(&words(random), random, wild)),
        };
        let extra =
            if random.below(3) == 0 { format!(",\"details\":{}", value(random, wild, 0)) } else { String::new() };
        if random.below(8) == 0 {
            text += &words(random).replace(['\n', '{', '"'], "");
        }
        text += &format!("{{{message},\"id\":\"e{number}\",\"parentId\":{parent},\"timestamp\":\"t\"{extra}}}");
        if random.below(8) > 0 {
            text += "\n";
        }
        parent = format!("\"e{number}\"");
    }
    text
}

fn gap(random: &mut Random, wild: usize) -> &'static str {
    if wild > 0 && random.below(8) == 0 { [" ", "\t", "\r", "  "][random.below(4)] } else { "" }
}

fn object(random: &mut Random, wild: usize, depth: usize) -> String {
    let fields: Vec<String> = (0..random.below(4))
        .map(|_| {
            format!(
                "{}{}{}:{}{}",
                gap(random, wild),
                string(&words(random), random, wild),
                gap(random, wild),
                gap(random, wild),
                value(random, wild, depth + 1)
            )
        })
        .collect();
    format!("{{{}{}}}", gap(random, wild), fields.join(","))
}

fn value(random: &mut Random, wild: usize, depth: usize) -> String {
    match random.below(if depth > 2 { 6 } else { 8 }) {
        0..=2 => string(&words(random), random, wild),
        3 => ["0", "1", "12", "-5", "100"][random.below(5)].to_owned(),
        4 if wild > 0 => {
            ["-0", "1.0", "1e2", "0.5", "1E400", "-0.0", "12345678901234567890", "1.50"][random.below(8)].to_owned()
        }
        4 | 5 => ["true", "false", "null"][random.below(3)].to_owned(),
        6 => {
            let items: Vec<String> = (0..random.below(4))
                .map(|_| format!("{}{}", gap(random, wild), value(random, wild, depth + 1)))
                .collect();
            format!("[{}]", items.join(","))
        }
        _ => object(random, wild, depth),
    }
}

fn string(text: &str, random: &mut Random, wild: usize) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        let respell = wild == 2 && random.below(10) == 0;
        match c {
            _ if respell => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    if random.below(2) == 0 {
                        out += &format!("\\u{unit:04x}")
                    } else {
                        out += &format!("\\u{unit:04X}")
                    }
                }
            }
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\t' => out += "\\t",
            '/' if wild == 2 && random.below(3) == 0 => out += "\\/",
            c if c < ' ' => out += &format!("\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
        if wild == 2 && random.below(40) == 0 {
            out += ["\\ud800", "\\udc00", "\\ud83d\\u0041"][random.below(3)];
        }
    }
    out + "\""
}

/// A sequence that is the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % bound.max(1) as u64).expect("below a usize")
    }
}
