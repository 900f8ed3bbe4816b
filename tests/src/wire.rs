//! Compares requests to the model: between two boundaries each must start with the one before, byte for byte.

use crate::Request;

/// How `later` fails to start with `earlier`, or nothing when it does.
///
/// Each message of `earlier` must stand at the same place in `later`, and the tool definitions must be the same, byte
/// for byte.
pub fn difference(earlier: &Request, later: &Request) -> Option<String> {
    let (before, after) = (earlier.message_texts(), later.message_texts());
    let pair = format!("request {} does not start with request {}", later.index, earlier.index);
    for (index, message) in before.iter().enumerate() {
        let role = &earlier.messages()[index]["role"];
        let Some(other) = after.get(index) else {
            let start = excerpt(message, 0);
            return Some(format!("{pair}: message {index} ({role}) is missing\n  was: {start}"));
        };
        if let Some(shown) = differing(message, other) {
            return Some(format!("{pair}: message {index} ({role}) differs\n{shown}"));
        }
    }
    let (before, after) = (earlier.tool_texts(), later.tool_texts());
    if before.len() != after.len() {
        let (old, new) = (earlier.tool_names(), later.tool_names());
        return Some(format!("{pair}: the tools differ\n  was: {old:?}\n  now: {new:?}"));
    }
    let (index, shown) =
        before.iter().zip(&after).enumerate().find_map(|(index, (was, now))| Some((index, differing(was, now)?)))?;
    Some(format!("{pair}: tool {index} ({}) differs\n{shown}", earlier.tool_names()[index]))
}

/// Checks that each request starts with the one before it.
///
/// # Panics
///
/// When one does not; the text names the first message or tool that differs and shows where.
pub fn assert_prefixes(requests: &[Request]) {
    for pair in requests.windows(2) {
        if let Some(difference) = difference(&pair[0], &pair[1]) {
            panic!("{difference}");
        }
    }
}

fn differing(was: &str, now: &str) -> Option<String> {
    if was == now {
        return None;
    }
    let same = was.chars().zip(now.chars()).take_while(|(a, b)| a == b).count();
    Some(format!("  at character {same}\n  was: {}\n  now: {}", excerpt(was, same), excerpt(now, same)))
}

/// The text around a position, with marks where it was cut.
fn excerpt(text: &str, position: usize) -> String {
    const BEFORE: usize = 40;
    const AFTER: usize = 120;
    let start = position.saturating_sub(BEFORE);
    let shown: String = text.chars().skip(start).take(BEFORE + AFTER).collect();
    let head = if start > 0 { "…" } else { "" };
    let tail = if text.chars().count() > start + BEFORE + AFTER { "…" } else { "" };
    format!("{head}{shown}{tail}")
}
