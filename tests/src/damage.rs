//! Damage to the bytes of an input, by a seed.

/// A small random generator (xorshift); the same numbers on every machine.
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `bound`; 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.next() % bound as u64) as usize }
    }
}

/// A kind of damage.
#[derive(Copy, Clone, Debug)]
pub enum Damage {
    /// The end is missing.
    Cut,
    /// Bits of some bytes are turned.
    Flip,
    /// Bytes are put in that mean something.
    Insert,
    /// A stretch is missing.
    Remove,
    /// A line stands twice.
    DoubleLine,
    /// Two lines changed places.
    SwapLines,
    /// The rest is that of another input.
    Splice,
    /// A number is another one, absurd ones among them.
    Number,
    /// Brackets are opened many times over.
    Nest,
    /// Several of these.
    Several,
}

const KINDS: [Damage; 10] = [
    Damage::Cut,
    Damage::Flip,
    Damage::Insert,
    Damage::Remove,
    Damage::DoubleLine,
    Damage::SwapLines,
    Damage::Splice,
    Damage::Number,
    Damage::Nest,
    Damage::Several,
];

/// Pieces that the readers look for.
const PIECES: [&[u8]; 22] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b")",
    b"\"",
    b"\\\"",
    b",",
    b":",
    b"\n",
    b"^kw:\n",
    b"%kwarg_x {}\n",
    b"<<NULL VALUE>>",
    b"<<NULL TYPE>>",
    b"vec[",
    b"tensor<",
    b"// -----\n",
    b"%0",
    b"\xff\xfe",
    b"\0",
    b"    () = \"cf.yield\" () {} : () -> \n",
];

const NUMBERS: [&str; 8] = [
    "0",
    "-1",
    "2",
    "4294967296",
    "18446744073709551616",
    "-9223372036854775808",
    "1e999",
    "99999999999",
];

impl Damage {
    /// A random kind.
    pub fn any(random: &mut Random) -> Self {
        KINDS[random.below(KINDS.len())]
    }

    /// The damaged bytes of `input`; `other` is another input.
    pub fn apply(self, input: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
        let mut bytes = input.to_vec();
        let at = random.below(bytes.len() + 1);
        match self {
            Self::Cut => bytes.truncate(at),
            Self::Flip => {
                for _ in 0..=random.below(4) {
                    let at = random.below(bytes.len());
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte ^= 1 << random.below(8);
                    }
                }
            }
            Self::Insert => {
                bytes.splice(at..at, PIECES[random.below(PIECES.len())].iter().copied());
            }
            Self::Remove => {
                let end = (at + random.below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            Self::DoubleLine | Self::SwapLines => return self.lines(&bytes, random),
            Self::Splice => {
                bytes.truncate(at);
                bytes.extend_from_slice(&other[random.below(other.len() + 1)..]);
            }
            Self::Number => replace_number(&mut bytes, at, random),
            Self::Nest => {
                let piece = [&b"["[..], b"{", b"vec[", b"("][random.below(4)];
                let times = 1 << random.below(12);
                bytes.splice(at..at, piece.repeat(times));
            }
            Self::Several => {
                for _ in 0..3 {
                    let kind = KINDS[random.below(KINDS.len() - 1)];
                    bytes = kind.apply(&bytes, other, random);
                }
            }
        }
        bytes
    }

    fn lines(self, bytes: &[u8], random: &mut Random) -> Vec<u8> {
        let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
        let (a, b) = (random.below(lines.len()), random.below(lines.len()));
        match self {
            Self::DoubleLine if !lines.is_empty() => lines.insert(b, lines[a]),
            _ if !lines.is_empty() => lines.swap(a, b),
            _ => {}
        }
        lines.concat()
    }
}

/// Puts another number in the place of the first one behind `at`.
fn replace_number(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|found| at + found)
    else {
        return;
    };
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = NUMBERS[random.below(NUMBERS.len())];
    bytes.splice(start..start + length, number.bytes());
}
