//! A pass over JSON that looks and does not build: what a record holds stays where it is until somebody asks for it.
//!
//! Indexing reads every byte of a session, so its speed is that of this file. It accepts exactly what `JSON.parse` accepts
//! (a property test compares it with serde_json), except that a line feed ends the input: records are lines.

use std::borrow::Cow;

/// A value, or nothing where there is none to be read: [`Cursor::cut`] then tells why.
pub(crate) type Parsed<T> = Option<T>;

/// A string as it stands between its quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Text<'a> {
    raw: &'a [u8],
    escaped: bool,
}

impl<'a> Text<'a> {
    /// The string meant. Each lone surrogate and each invalid sequence of bytes becomes one U+FFFD.
    pub(crate) fn decode(self) -> Cow<'a, str> {
        if !self.escaped {
            return String::from_utf8_lossy(self.raw);
        }
        let mut bytes = Vec::with_capacity(self.raw.len());
        let mut rest = self.raw;
        while let Some(at) = memchr::memchr(b'\\', rest) {
            bytes.extend_from_slice(&rest[..at]);
            let mut char_bytes = [0; 4];
            let (c, length) = unescape(&rest[at..]);
            bytes.extend_from_slice(c.encode_utf8(&mut char_bytes).as_bytes());
            rest = &rest[at + length..];
        }
        bytes.extend_from_slice(rest);
        Cow::Owned(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        })
    }

    pub(crate) fn to_owned(self) -> String {
        self.decode().into_owned()
    }

    /// Whether the string is this one; for the plain names of the format.
    pub(crate) fn is(self, name: &str) -> bool {
        if self.escaped { self.decode() == name } else { self.raw == name.as_bytes() }
    }

    /// The bytes of the string meant; what is not UTF-8 may come as it is.
    #[inline]
    pub(crate) fn bytes(self) -> Cow<'a, [u8]> {
        if self.escaped { Cow::Owned(self.to_owned().into_bytes()) } else { Cow::Borrowed(self.raw) }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.raw.is_empty()
    }
}

/// A place in JSON text.
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The containers that are open in the value being passed over.
    open: Vec<u8>,
    /// Where a value could not be read: the input ended inside it, and was right so far.
    pub(crate) cut: bool,
    /// Strings have to be looked through for control characters.
    controls: bool,
    /// A character was written as an escape though it has a simpler spelling (`\/`, `\u0041`, `\u000a`).
    pub(crate) respelled: bool,
    /// Something outside of strings was written otherwise than [`write_compact`] writes it: a number, or white space.
    pub(crate) reprinted: bool,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            open: Vec::new(),
            cut: false,
            controls: has_controls(bytes),
            respelled: false,
            reprinted: false,
        }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn go(&mut self, at: usize) {
        self.at = at;
    }

    /// What stands between two places.
    pub(crate) fn since(&self, start: usize) -> &'a [u8] {
        &self.bytes[start..self.at]
    }

    /// The next byte that is not white space; none at the end of the line.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            match *self.bytes.get(self.at)? {
                b' ' | b'\t' | b'\r' => {
                    self.reprinted = true;
                    self.at += 1;
                }
                b'\n' => return None,
                byte => return Some(byte),
            }
        }
    }

    #[inline]
    fn token(&mut self) -> Parsed<u8> {
        self.peek().or_else(|| self.end())
    }

    /// Reads an object; `field` meets each key and must read its value.
    #[inline]
    pub(crate) fn object(&mut self, mut field: impl FnMut(&mut Self, Text<'a>) -> Parsed<()>) -> Parsed<()> {
        self.expect(b'{')?;
        if self.token()? == b'}' {
            self.at += 1;
            return Some(());
        }
        loop {
            let key = self.key()?;
            field(self, key)?;
            match self.token()? {
                b',' => self.at += 1,
                b'}' => break,
                _ => return self.fail(),
            }
        }
        self.at += 1;
        Some(())
    }

    /// Reads an array; `item` must read each value.
    #[inline]
    pub(crate) fn array(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        self.expect(b'[')?;
        if self.token()? == b']' {
            self.at += 1;
            return Some(());
        }
        loop {
            item(self)?;
            match self.token()? {
                b',' => self.at += 1,
                b']' => break,
                _ => return self.fail(),
            }
        }
        self.at += 1;
        Some(())
    }

    /// Reads a value and keeps it if it is a string.
    #[inline]
    pub(crate) fn text(&mut self) -> Parsed<Option<Text<'a>>> {
        if self.token()? == b'"' {
            return self.string().map(Some);
        }
        self.skip()?;
        Some(None)
    }

    /// Reads a value and keeps its source text.
    pub(crate) fn raw(&mut self) -> Parsed<&'a [u8]> {
        self.token()?;
        let start = self.at;
        self.skip()?;
        Some(self.since(start))
    }

    /// Passes over a value of any depth.
    pub(crate) fn skip(&mut self) -> Parsed<()> {
        let outside = self.open.len();
        let result = self.skip_to(outside);
        self.open.truncate(outside);
        result
    }

    fn skip_to(&mut self, outside: usize) -> Parsed<()> {
        loop {
            match self.token()? {
                b'"' => {
                    self.string()?;
                }
                b'{' => {
                    self.at += 1;
                    if self.token()? == b'}' {
                        self.at += 1;
                    } else {
                        self.open.push(b'}');
                        self.key()?;
                        continue;
                    }
                }
                b'[' => {
                    self.at += 1;
                    if self.token()? == b']' {
                        self.at += 1;
                    } else {
                        self.open.push(b']');
                        continue;
                    }
                }
                b't' => self.literal(b"true")?,
                b'f' => self.literal(b"false")?,
                b'n' => self.literal(b"null")?,
                _ => self.number()?,
            }
            // After a value: another one, or the ends of what is open.
            loop {
                if self.open.len() == outside {
                    return Some(());
                }
                let close = self.open[self.open.len() - 1];
                match self.token()? {
                    b',' => {
                        self.at += 1;
                        if close == b'}' {
                            self.key()?;
                        }
                        break;
                    }
                    byte if byte == close => {
                        self.at += 1;
                        self.open.pop();
                    }
                    _ => return self.fail(),
                }
            }
        }
    }

    #[inline(always)]
    fn key(&mut self) -> Parsed<Text<'a>> {
        if self.token()? != b'"' {
            return self.fail();
        }
        let key = self.string()?;
        self.expect(b':')?;
        Some(key)
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Parsed<()> {
        if self.token()? != byte {
            return self.fail();
        }
        self.at += 1;
        Some(())
    }

    /// Reads a string whose opening quote is the next byte.
    ///
    /// Names and ids end within two words, which takes less than the call for longer strings.
    #[inline(always)]
    fn string(&mut self) -> Parsed<Text<'a>> {
        const WORD: usize = 8;
        let start = self.at + 1;
        let mut at = start;
        for _ in 0..2 {
            let Some(word) = self.bytes.get(at..at + WORD).and_then(|word| <[u8; WORD]>::try_from(word).ok()) else {
                break;
            };
            let found = special_bytes(u64::from_le_bytes(word));
            if found == 0 {
                at += WORD;
                continue;
            }
            at += found.trailing_zeros() as usize / 8;
            if self.bytes[at] == b'"' {
                self.at = at + 1;
                return Some(Text { raw: &self.bytes[start..at], escaped: false });
            }
            break;
        }
        self.long_string(start, at)
    }

    /// Reads on in a string that began at `start`.
    #[inline(never)]
    fn long_string(&mut self, start: usize, mut at: usize) -> Parsed<Text<'a>> {
        let mut escaped = false;
        loop {
            let rest = &self.bytes[at..];
            at += memchr::memchr3(b'"', b'\\', b'\n', rest).unwrap_or(rest.len());
            match self.bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    at += 1 + self.escape(at + 1)?;
                }
                _ => return self.end(),
            }
        }
        self.at = at + 1;
        let raw = &self.bytes[start..at];
        if self.controls && raw.iter().any(|&byte| byte < b' ') {
            return self.fail();
        }
        Some(Text { raw, escaped })
    }

    /// The length of an escape behind its backslash.
    #[inline]
    fn escape(&mut self, at: usize) -> Parsed<usize> {
        match self.bytes.get(at) {
            Some(b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't') => Some(1),
            Some(b'/') => {
                self.respelled = true;
                Some(1)
            }
            Some(b'u') => {
                let digits = &self.bytes[at + 1..self.bytes.len().min(at + 5)];
                if let Some(wrong) = digits.iter().find(|digit| !digit.is_ascii_hexdigit()) {
                    return self.fail_or_end(*wrong == b'\n');
                }
                if digits.len() < 4 {
                    return self.end();
                }
                // Few control characters have no other spelling.
                self.respelled |= !matches!(unit(digits), 0..=7 | 0xB | 0xE..=0x1F);
                Some(5)
            }
            None | Some(b'\n') => self.end(),
            Some(_) => self.fail(),
        }
    }

    fn literal(&mut self, word: &[u8]) -> Parsed<()> {
        let there = &self.bytes[self.at..self.bytes.len().min(self.at + word.len())];
        if there == word {
            self.at += word.len();
            return Some(());
        }
        let there = there.split(|&byte| byte == b'\n').next().unwrap_or_default();
        self.fail_or_end(self.ends(self.at + there.len()) && word.starts_with(there))
    }

    fn number(&mut self) -> Parsed<()> {
        if self.bytes[self.at] == b'-' {
            self.at += 1;
            self.reprinted |= self.bytes.get(self.at) == Some(&b'0');
        }
        match self.bytes.get(self.at) {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits()?,
            _ => return self.fail_or_end(self.ends(self.at)),
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.reprinted = true;
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.reprinted = true;
            self.at += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.at) {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Parsed<()> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at == start { self.fail_or_end(self.ends(self.at)) } else { Some(()) }
    }

    /// What is here is not JSON.
    #[cold]
    fn fail<T>(&mut self) -> Parsed<T> {
        self.cut = false;
        None
    }

    /// The input ends inside a value.
    #[cold]
    fn end<T>(&mut self) -> Parsed<T> {
        self.cut = true;
        None
    }

    fn fail_or_end<T>(&mut self, is_end: bool) -> Parsed<T> {
        if is_end { self.end() } else { self.fail() }
    }

    fn ends(&self, at: usize) -> bool {
        matches!(self.bytes.get(at), None | Some(b'\n'))
    }
}

/// Writes valid JSON without white space, in one spelling: no needless escapes, floats that are whole as integers.
pub(crate) fn write_compact(value: &[u8], out: &mut String) {
    let mut at = 0;
    while let Some(&byte) = value.get(at) {
        at += match byte {
            b'"' => write_string(&value[at..], out),
            b'-' | b'0'..=b'9' => write_number(&value[at..], out),
            b' ' | b'\t' | b'\r' => 1,
            _ => {
                out.push(char::from(byte));
                1
            }
        };
    }
}

/// Writes a string as JSON.
pub(crate) fn write_quoted(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

fn write_string(value: &[u8], out: &mut String) -> usize {
    // Valid JSON is not looked through for control characters: for each string that would be all that follows it.
    let mut cursor = Cursor { bytes: value, controls: false, ..Cursor::new(&[]) };
    let Some(text) = cursor.string() else { return value.len() };
    if text.escaped {
        write_quoted(&text.decode(), out);
    } else {
        out.push('"');
        out.push_str(&text.decode());
        out.push('"');
    }
    cursor.at
}

fn write_number(value: &[u8], out: &mut String) -> usize {
    /// From here on JavaScript writes an exponent.
    const LARGE: f64 = 1e21;
    let length = value.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).count();
    let source = String::from_utf8_lossy(&value[..length]);
    match source.parse::<f64>() {
        Ok(0.0) => out.push('0'),
        Ok(number) if source.contains(['.', 'e', 'E']) && number.fract() == 0.0 && number.abs() < LARGE => {
            out.push_str(&number.to_string());
        }
        _ => out.push_str(&source),
    }
    length
}

/// The highest bit of the first byte that is a quote, a backslash or a control character; later ones may be wrong.
#[inline]
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let below = |word: u64, limit: u8| word.wrapping_sub(ONES * u64::from(limit)) & !word & HIGH;
    below(word ^ (ONES * u64::from(b'"')), 1) | below(word ^ (ONES * u64::from(b'\\')), 1) | below(word, b' ')
}

/// Whether bytes hold control characters other than line feeds. Few sessions do, and strings must not.
fn has_controls(bytes: &[u8]) -> bool {
    // Without an early exit within a chunk many bytes are compared at once.
    let is_control = |byte: u8| (byte < b' ') & (byte != b'\n');
    bytes.chunks(4096).any(|chunk| chunk.iter().fold(false, |found, &byte| found | is_control(byte)))
}

/// The character that an escape at the start of the bytes stands for, and how many bytes it took.
fn unescape(bytes: &[u8]) -> (char, usize) {
    let simple = |c| (c, 2);
    match bytes[1] {
        b'b' => simple('\u{8}'),
        b'f' => simple('\u{c}'),
        b'n' => simple('\n'),
        b'r' => simple('\r'),
        b't' => simple('\t'),
        b'u' => {
            let high = unit(&bytes[2..6]);
            if let Some(c) = char::from_u32(high) {
                return (c, 6);
            }
            let low = bytes.get(6..12).filter(|next| next.starts_with(b"\\u")).map(|next| unit(&next[2..]));
            match low {
                Some(low @ 0xDC00..=0xDFFF) if high < 0xDC00 => {
                    let c = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                    (char::from_u32(c).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
                }
                _ => (char::REPLACEMENT_CHARACTER, 6),
            }
        }
        other => simple(char::from(other)),
    }
}

fn unit(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |sum, &digit| sum * 16 + char::from(digit).to_digit(16).unwrap_or(0))
}
