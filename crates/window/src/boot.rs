//! The boot: what a window begins with. A pure function of what it is made of.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::build::Ended;
use crate::carry::CarryOver;
use crate::material::{Material, Names};
use crate::notes_index::{HomeSection, NO_NOTES, home_sections};
use crate::notices::thousands;
use crate::quote::quoted;
use crate::texts::protocol;
use crate::vocabulary::ToolNames;

const LIMIT_BYTES: usize = 64 * 1024;
/// UTF-16 units a token, in this limit.
const UNITS_PER_TOKEN: u64 = 4;

/// What a boot is made of, beside the material.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub(crate) names: &'a Names,
    pub(crate) first: &'a str,
    pub(crate) current: &'a str,
    pub(crate) previous: Option<&'a str>,
    pub(crate) tools: &'a ToolNames,
    /// The window that ended just before, where the boot directly follows its marker.
    pub(crate) ended: Option<&'a Ended>,
}

/// A boot, and what people should hear about it.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) text: String,
    /// Labels of homes that could not be read.
    pub(crate) unreadable: Vec<&'static str>,
    /// The limit, if the text exceeds it after all that could be left out.
    pub(crate) over: Option<String>,
}

/// Renders the boot, with as much left out as its limit asks for.
pub(crate) fn render(frame: &Frame<'_>, material: &Material) -> Rendered {
    let parts = Parts::new(frame, material);
    let limit = Limit::of(material.context_window);
    let mut cuts = Cuts::default();
    loop {
        let pieces = parts.pieces(&cuts);
        let fits = limit.holds(&pieces);
        if fits || !parts.cut_more(&mut cuts) {
            let over = (!fits).then(|| limit.to_text());
            return Rendered { text: pieces.join("\n\n"), unreadable: parts.unreadable, over };
        }
    }
}

/// What was left out so far, in the order in which things go.
#[derive(Debug, Default)]
struct Cuts {
    note: bool,
    topics: usize,
    pins: usize,
    maps: usize,
    summary: bool,
    short: bool,
}

struct Parts<'a> {
    frame: &'a Frame<'a>,
    material: &'a Material,
    head: [String; 2],
    homes: Vec<HomeSection>,
    unreadable: Vec<&'static str>,
    /// Each pin in full and as a pointer.
    pins: Vec<(String, String)>,
    /// The turn in which each pin goes.
    pin_turns: Vec<usize>,
    topic_turns: Vec<usize>,
    carry: CarryOver,
}

impl<'a> Parts<'a> {
    fn new(frame: &'a Frame<'a>, material: &'a Material) -> Parts<'a> {
        let (homes, unreadable) = home_sections(frame, &material.snapshot);
        let (pins, topics) = match frame.ended {
            Some(_) => {
                (material.payload.pins.as_slice(), material.payload.summary.as_ref().map(|it| it.topics.as_slice()))
            }
            None => (&[][..], None),
        };
        let pin = |pin: &crate::material::Pin| {
            let pointer = format!(
                "{}, {} chars: left out to fit; read it with {}",
                pin.label,
                thousands(pin.chars as u64),
                frame.tools.context_read
            );
            (quoted(&pin.label, &pin.text), pointer)
        };
        Parts {
            frame,
            material,
            head: [identity(frame), protocol(frame.tools)],
            homes,
            unreadable,
            pins: pins.iter().map(pin).collect(),
            pin_turns: turns(pins, |pin| u32::from(!pin.decayable)),
            topic_turns: turns(topics.unwrap_or_default(), |topic| u32::MAX - topic.rank),
            carry: CarryOver::new(frame, material),
        }
    }

    /// Leaves one more thing out; false if nothing is left that may go.
    fn cut_more(&self, cuts: &mut Cuts) -> bool {
        if self.carry.has_note() && !cuts.note {
            cuts.note = true;
        } else if cuts.topics < self.topic_turns.len() {
            cuts.topics += 1;
        } else if cuts.pins < self.pins.len() {
            cuts.pins += 1;
        } else if cuts.maps < self.inlined_maps() {
            cuts.maps += 1;
        } else if self.has_summary() && !cuts.summary {
            cuts.summary = true;
        } else if !cuts.short {
            cuts.short = true;
        } else {
            return false;
        }
        true
    }

    /// The paragraphs of the boot.
    fn pieces(&self, cuts: &Cuts) -> Vec<Cow<'_, str>> {
        let mut pieces: Vec<Cow<'_, str>> = self.head.iter().map(Cow::from).collect();
        if self.homes.is_empty() {
            pieces.push(NO_NOTES.into());
        }
        let mut shown = self.inlined_maps() - cuts.maps;
        for home in &self.homes {
            match &home.without_map {
                Some(without) if shown == 0 => pieces.push(without.into()),
                Some(_) => {
                    shown -= 1;
                    pieces.push((&home.text).into());
                }
                None => pieces.push((&home.text).into()),
            }
        }
        if !self.pins.is_empty() {
            pieces.push("## Pinned, word for word".into());
        }
        for ((full, pointer), turn) in self.pins.iter().zip(&self.pin_turns) {
            pieces.push(if *turn < cuts.pins { pointer.into() } else { full.into() });
        }
        pieces.extend(self.summary(cuts).map(Cow::from));
        pieces.extend(self.carry.pieces(cuts.note, cuts.short));
        pieces
    }

    fn has_summary(&self) -> bool {
        self.frame.ended.is_some() && self.material.payload.summary.is_some()
    }

    fn summary(&self, cuts: &Cuts) -> Option<String> {
        let summary = self.material.payload.summary.as_ref().filter(|_| self.has_summary())?;
        let search = self.frame.tools.history_search;
        if cuts.summary {
            return Some(format!(
                "A summary of the earlier work was left out to fit; {search} finds what it was made of."
            ));
        }
        let kept = summary.topics.iter().zip(&self.topic_turns).filter(|(_, turn)| **turn >= cuts.topics);
        let mut texts = Vec::from([summary.head.as_str()]);
        texts.extend(kept.map(|(topic, _)| topic.text.as_str()));
        texts.push(&summary.tail);
        texts.retain(|text| !text.is_empty());
        let left_out = match cuts.topics {
            0 => String::new(),
            count => format!("\nTopics left out to fit: {count}; {search} finds what they were made of."),
        };
        if texts.is_empty() {
            return (cuts.topics > 0).then(|| format!("## Summary of the earlier work{left_out}"));
        }
        Some(format!("{}{left_out}", quoted("## Summary of the earlier work", &texts.join("\n\n"))))
    }

    fn inlined_maps(&self) -> usize {
        self.homes.iter().filter(|home| home.without_map.is_some()).count()
    }
}

fn identity(frame: &Frame<'_>) -> String {
    let Names { agent, model } = frame.names;
    let mut text = format!(
        "<context_window>\nagent: {agent}, on the model {model}\nfirst window: {}\ncurrent window: {}\n",
        frame.first, frame.current
    );
    if let Some(previous) = frame.previous {
        text += &format!("previous window: {previous}\n");
    }
    text + "</context_window>"
}

/// For each item the turn in which it goes: lowest key first, then in order.
fn turns<T>(items: &[T], key: impl Fn(&T) -> u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|at| key(&items[*at]));
    let mut turns = alloc::vec![0; items.len()];
    for (turn, at) in order.into_iter().enumerate() {
        turns[at] = turn;
    }
    turns
}

struct Limit {
    tokens: Option<u64>,
}

impl Limit {
    fn of(context_window: Option<u64>) -> Limit {
        Limit { tokens: context_window.map(|size| size / 4) }
    }

    /// Whether the pieces fit when they are joined by blank lines.
    fn holds(&self, pieces: &[Cow<'_, str>]) -> bool {
        let between = pieces.len().saturating_sub(1) * 2;
        let bytes = between + pieces.iter().map(|piece| piece.len()).sum::<usize>();
        if bytes > LIMIT_BYTES {
            return false;
        }
        let units = between + pieces.iter().flat_map(|piece| piece.chars()).map(char::len_utf16).sum::<usize>();
        self.tokens.is_none_or(|tokens| (units as u64).div_ceil(UNITS_PER_TOKEN) <= tokens)
    }

    fn to_text(&self) -> String {
        match self.tokens {
            Some(tokens) => format!("64 KiB and {} tokens", thousands(tokens)),
            None => "64 KiB".to_string(),
        }
    }
}
