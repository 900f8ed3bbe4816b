//! Time as callers hand it to a store, and the two text forms of instants in notes.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};

use jiff::civil::{Date, DateTime};
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, ZonedDateTime};

/// 0000-01-03 and 9999-12-30 at midnight UTC: whatever the offset, the year between them has four digits.
const FIRST: i64 = -62_167_046_400_000;
const LAST: i64 = 253_402_128_000_000;

/// Where a store takes the time and the time zone from. The store never asks the system of its own accord.
///
/// Clones share their write stamps: no two writes of one clock carry the same millisecond. All clones of
/// [`Clock::system`] share them across the process.
#[derive(Clone)]
pub struct Clock {
    now: Arc<dyn Fn() -> ZonedDateTime + Send + Sync>,
    last_stamp: Arc<AtomicI64>,
}

impl Clock {
    /// The system's time in the system's time zone.
    pub fn system() -> Self {
        static SYSTEM: LazyLock<Clock> = LazyLock::new(|| Clock::new(ZonedDateTime::now));
        SYSTEM.clone()
    }

    /// A clock of one's own, for example a fixed one in tests.
    pub fn new(now: impl Fn() -> ZonedDateTime + Send + Sync + 'static) -> Self {
        Self { now: Arc::new(now), last_stamp: Arc::new(AtomicI64::new(i64::MIN)) }
    }

    pub(crate) fn now(&self) -> ZonedDateTime {
        (self.now)()
    }

    /// The time of a write in epoch milliseconds: now, but later than every stamp given before.
    pub(crate) fn write_stamp(&self, now: i64) -> i64 {
        let next = |last: i64| now.max(last.saturating_add(1));
        match self.last_stamp.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last))) {
            Ok(last) | Err(last) => next(last),
        }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").finish_non_exhaustive()
    }
}

/// An instant as notes store it: local time with milliseconds and a numeric offset, never `Z`.
///
/// Instants outside the years 0 to 9999 are moved to the nearest one inside. An offset with seconds, as local times had
/// before there were time zones, is cut to whole minutes; the instant stays the same.
///
/// ```
/// let utc = jiff::tz::TimeZone::UTC;
/// assert_eq!(palimpsest_notes::local_iso(1_700_000_000_000, &utc), "2023-11-14T22:13:20.000+00:00");
/// ```
pub fn local_iso(epoch_ms: i64, zone: &TimeZone) -> String {
    let instant = Timestamp::from_millisecond(epoch_ms.clamp(FIRST, LAST)).unwrap_or(Timestamp::UNIX_EPOCH);
    let minutes = zone.to_offset(instant).seconds() / 60;
    let offset = Offset::from_seconds(minutes * 60).unwrap_or(Offset::UTC);
    instant.to_zoned_datetime(TimeZone::fixed(offset)).strftime("%Y-%m-%dT%H:%M:%S.%3f%:z").to_string()
}

/// Reads the date forms that people write into notes: RFC 3339, a date alone (midnight UTC), a date and time without an
/// offset (local time). Gives epoch milliseconds; anything else gives nothing.
pub(crate) fn parse_date(text: &str, zone: &TimeZone) -> Option<i64> {
    match shape_of(text)? {
        DateShape::Date => {
            let date: Date = text.parse().ok()?;
            Some(date.to_zoned_datetime(TimeZone::UTC).ok()?.timestamp().as_millisecond())
        }
        DateShape::Local => {
            let local: DateTime = text.parse().ok()?;
            Some(local.to_zoned_datetime(zone.clone()).ok()?.timestamp().as_millisecond())
        }
        DateShape::Offset => Some(text.parse::<Timestamp>().ok()?.as_millisecond()),
    }
}

enum DateShape {
    Date,
    Local,
    Offset,
}

/// Which of the accepted forms a text has; the date library itself would accept more than these.
fn shape_of(text: &str) -> Option<DateShape> {
    let rest = strip_shape(text, "dddd-dd-dd")?;
    if rest.is_empty() {
        return Some(DateShape::Date);
    }
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let minutes = strip_shape(rest, "dd:dd")?;
    let Some(seconds) = strip_shape(minutes, ":dd") else {
        return minutes.is_empty().then_some(DateShape::Local);
    };
    let rest = match seconds.strip_prefix('.') {
        Some(fraction) => {
            let rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            if rest.len() == fraction.len() {
                return None;
            }
            rest
        }
        None => seconds,
    };
    match rest {
        "" => Some(DateShape::Local),
        "Z" | "z" => Some(DateShape::Offset),
        offset => strip_shape(offset.strip_prefix(['+', '-'])?, "dd:dd")?.is_empty().then_some(DateShape::Offset),
    }
}

/// Strips a prefix in which `d` stands for any digit and everything else for itself.
fn strip_shape<'a>(text: &'a str, shape: &str) -> Option<&'a str> {
    let prefix = text.as_bytes().get(..shape.len())?;
    let fits = prefix.iter().zip(shape.bytes()).all(|(&byte, want)| match want {
        b'd' => byte.is_ascii_digit(),
        other => byte == other,
    });
    if fits { text.get(shape.len()..) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A7: stamps of one process never tie and never go back, whichever system clock gives them.
    #[test]
    fn stamps_grow_when_time_does_not() {
        for clocks in [[Clock::system(), Clock::system()], {
            let own = Clock::new(ZonedDateTime::now);
            [own.clone(), own]
        }] {
            let stamps: Vec<i64> =
                [7, 7, 5, 9].iter().zip(clocks.iter().cycle()).map(|(now, c)| c.write_stamp(*now)).collect();
            assert!(stamps.is_sorted_by(|a, b| a < b), "{stamps:?}");
        }
    }
}
