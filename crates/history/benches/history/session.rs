//! Generated sessions: the same for the same size, of the shapes and sizes that real ones have.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Words as they stand in JSON.
const WORDS: [&str; 24] = [
    "the",
    "function",
    "returns",
    "error",
    "session",
    "path/to/file.ts",
    "const",
    "=>",
    "naïve",
    "window",
    "\\\"quoted\\\"",
    "if",
    "else",
    "import",
    "of",
    "test",
    "0x1f",
    "—",
    "result",
    "value",
    "\\\\n",
    "async",
    "await",
    "data",
];

/// The id of the last entry of a generated session is `last_id(0)`; of entries added to it, in their order, 1 and so on.
pub(crate) fn last_id(number: u32) -> String {
    format!("last{number:04x}")
}

/// Writes a session of about `size` bytes in which `rare` stands now and then.
pub(crate) fn generate(path: &Path, size: u64, rare: &str) -> io::Result<()> {
    let mut out = Generator {
        out: BufWriter::with_capacity(1 << 20, File::create(path)?),
        random: 7,
        written: 0,
        number: 0,
        leaf: String::from("null"),
        fork: String::from("null"),
        rare: rare.to_owned(),
    };
    out.line(r#"{"type":"session","version":3,"id":"01234567-89ab-cdef-0123-456789abcdef","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/work/app"}"#)?;
    while out.written < size {
        out.turn()?;
    }
    out.entry_with_id(&last_id(0), "message", r#""message":{"role":"user","content":"the end"}"#)?;
    out.out.flush()
}

struct Generator {
    out: BufWriter<File>,
    random: u64,
    written: u64,
    number: u32,
    /// The id of the last entry in quotes, or null.
    leaf: String,
    /// Where an abandoned branch goes back to.
    fork: String,
    rare: String,
}

impl Generator {
    /// A question, some calls with their results, an answer.
    fn turn(&mut self) -> io::Result<()> {
        match self.below(100) {
            // About one turn of seven is left again.
            0..15 => self.leaf.clone_from(&self.fork),
            _ => self.fork.clone_from(&self.leaf),
        }
        if self.below(60) == 0 {
            let number = self.number;
            self.entry("compaction", r#""summary":"","firstKeptEntryId":"00000000","tokensBefore":90000"#)?;
            let marker =
                format!(r#""customType":"pi-context/reset-marker","data":{{"windowId":"pcw:01234567:{number:08x}"}}"#);
            self.entry("custom", &marker)?;
            self.entry(
                "custom_message",
                r#""customType":"pi-context/boot","content":"where we were","display":false"#,
            )?;
        }
        let question = self.text(200);
        self.entry("message", &format!(r#""message":{{"role":"user","content":[{{"type":"text","text":"{question}"}}],"timestamp":1767225600000}}"#))?;
        for _ in 0..1 + self.below(6) {
            self.step()?;
        }
        let answer = self.text(900);
        self.assistant(&format!(r#"{{"type":"text","text":"{answer}"}}"#))
    }

    fn step(&mut self) -> io::Result<()> {
        let (id, thought, argument) = (self.number, self.text(150), self.text(120));
        let signature = if self.below(10) == 0 { "EqQBCkgIBRABGAIiQ0".repeat(230) } else { String::new() };
        let name = ["bash", "read", "edit", "grep"][self.below(4)];
        self.assistant(&format!(
            r#"{{"type":"thinking","thinking":"{thought}","thinkingSignature":"{signature}"}},{{"type":"toolCall","id":"toolu_01{id:022x}","name":"{name}","arguments":{{"path":"src/main.rs","command":"{argument}"}}}}"#
        ))?;
        // Half are short, one of a hundred is long, one of some thousands very long.
        let length = match self.below(4000) {
            0 => 110_000,
            1..40 => 6000 + self.below(24_000),
            40..1200 => 1200 + self.below(3000),
            _ => 60 + self.below(700),
        };
        let mut output = self.text(length);
        if self.below(8) == 0 {
            output.push_str("\\u001b[0m");
        }
        let error = self.below(12) == 0;
        self.entry("message", &format!(
            r#""message":{{"role":"toolResult","toolCallId":"toolu_01{id:022x}","toolName":"{name}","content":[{{"type":"text","text":"{output}"}}],"isError":{error},"timestamp":1767225600000}}"#
        ))
    }

    fn assistant(&mut self, parts: &str) -> io::Result<()> {
        self.entry("message", &format!(
            r#""message":{{"role":"assistant","content":[{parts}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":{{"input":3,"output":412,"cacheRead":51234,"cacheWrite":812,"totalTokens":52461,"cost":{{"input":0.000009,"output":0.00618,"cacheRead":0.0153702,"cacheWrite":0.003045,"total":0.0246042}}}},"stopReason":"toolUse","timestamp":1767225600000}}"#
        ))
    }

    fn entry(&mut self, kind: &str, fields: &str) -> io::Result<()> {
        self.number += 1;
        let id = format!("{:08x}", u64::from(self.number).wrapping_mul(2_654_435_761) & 0xFFFF_FFFF);
        self.entry_with_id(&id, kind, fields)
    }

    fn entry_with_id(&mut self, id: &str, kind: &str, fields: &str) -> io::Result<()> {
        let second = self.number % 60;
        let time = format!("2026-01-01T00:00:{second:02}.000Z");
        let parent = std::mem::replace(&mut self.leaf, format!("\"{id}\""));
        let line = if self.number.is_multiple_of(4) {
            // A line that Pi has migrated from format 1.
            format!(r#"{{"type":"{kind}","timestamp":"{time}",{fields},"id":"{id}","parentId":{parent}}}"#)
        } else {
            format!(r#"{{"type":"{kind}","id":"{id}","parentId":{parent},"timestamp":"{time}",{fields}}}"#)
        };
        self.line(&line)
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        self.written += line.len() as u64 + 1;
        self.out.write_all(line.as_bytes())?;
        self.out.write_all(b"\n")
    }

    /// Words in lines, about as many bytes as asked for.
    fn text(&mut self, length: usize) -> String {
        let mut text = String::with_capacity(length + 16);
        while text.len() < length {
            let word = self.below(WORDS.len() * 8);
            // Most text is ASCII only.
            text.push_str(WORDS[if word < WORDS.len() { word } else { word % 8 }]);
            text.push_str(if word.is_multiple_of(16) { "\\n" } else { " " });
        }
        if self.below(3000) == 0 {
            text.push_str(&self.rare[..3].to_uppercase());
            text.push_str(&self.rare[3..]);
        }
        text
    }

    fn below(&mut self, bound: usize) -> usize {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.random >> 33) % bound as u64).unwrap_or(0)
    }
}
