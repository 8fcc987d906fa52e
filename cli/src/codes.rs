//! The pages on diagnostic codes: `codes/E0203.md` says what `E0203` means, shows the smallest
//! example, and says what to do.
//!
//! A page is a title, the cause, an example, and a paragraph that begins with `Cure:`. Blocks are
//! fenced: ` ```pir in.pir ` is a file, ` ```console ` a command that reports the code, ` ```jobs ` a
//! schedule in which the fault is. A test runs every example, so that **no page says what is not so**, and
//! holds the pages against the codes in the sources, so that no code lacks one.

/// The page on a code.
pub struct Page {
    /// The code: `E0203`.
    pub code: &'static str,
    markdown: &'static str,
}

/// A group of codes, by what their first two digits say.
pub struct Layer {
    /// What is done where these are found.
    pub title: &'static str,
    /// The pages: errors, warnings, notes.
    pub pages: &'static [Page],
}

macro_rules! pages {
    ($($code:ident)*) => {
        &[$(Page {
            code: stringify!($code),
            markdown: include_str!(concat!("../codes/", stringify!($code), ".md")),
        }),*]
    };
}

/// All pages.
pub const LAYERS: &[Layer] = &[
    Layer {
        title: "Reading",
        pages: pages! {
            E0101 E0102 E0103 E0104 E0105 E0106 E0107 E0108 E0109 E0110 E0111 E0112 E0113
            E0114 E0115 E0116 E0150 E0151 E0152 E0153 E0154 E0155 E0156 E0157 E0158
            E0159 E0160 E0161 W0101 W0102 W0150 W0151 W0152 W0153 W0154 W0155
        },
    },
    Layer {
        title: "Passes",
        pages: pages! {
            E0201 E0202 E0203 E0204 E0205 E0206 E0207 E0208 E0209 E0210 E0211 E0212
            E0213 E0221 E0222 E0223 E0224 E0225 E0231 E0232 E0233 E0234 E0299 W0208 W0211 W0221 W0232 N0201 N0206 N0207 N0208 N0209 N0220 N0221 N0222
            N0223 N0224 N0225 N0226 N0227 N0228 N0230 N0231 N0232
        },
    },
    Layer {
        title: "Schedules",
        pages: pages! {
            E0301 E0302 E0303 E0304 E0305 E0306 E0311 E0312 E0313 E0314 E0321 E0322
            E0323 E0324 E0325 E0326 E0331 E0332 E0333 E0334 E0335 E0336 E0337
            E0341 E0342 E0343 E0344 E0345 E0346 E0347 E0348 E0361 E0362 E0363 E0364 E0365 E0366
            E0367 E0371 E0372 E0373 E0381 E0384 E0385 E0386 E0387 E0388 E0389 E0390 E0391 E0392
            E0393 E0394 E0395 W0301 W0302 W0303 W0341 N0301 N0302 N0303
        },
    },
    Layer {
        title: "Verifying",
        pages: pages! {
            E0401 E0402 E0403 E0404 E0405 E0406 E0407 E0408 E0409 E0410 E0411 E0412
            E0413 E0414 E0415 E0416 E0417 E0450 W0411 W0412
        },
    },
    Layer {
        title: "Pipelines",
        pages: pages! {
            E0501 E0502 E0503 E0504 E0505 E0506 E0507 E0510 E0511 E0512 E0514 E0515
            E0516 E0517 E0522 E0524 W0519 W0523 N0513 N0521
        },
    },
    Layer {
        title: "Files and the command line",
        pages: pages! {
            E0600 E0611 E0612 E0613 E0614 E0615 E0616 E0617 E0618 E0621 E0622 E0623
            E0624 E0625 E0626 E0627 E0628 E0631 E0632 E0633 E0634 E0635 E0636 E0650
            E0651 E0652 E0653 E0654 E0655 E0656 E0657 E0658 E0660 E0661 E0665 E0666 E0667 E0668 E0669 E0670 E0671 E0672
            N0660 N0661 N0662
            N0673
        },
    },
    Layer {
        title: "Proofs",
        pages: pages! {
            E0701 E0702 E0703 E0704 E0705 E0706 E0707 E0708 E0710 E0711 E0712 E0713
            E0714 E0715 E0716 E0717 E0718 E0719 N0721 N0722 W0730
        },
    },
    Layer {
        title: "Cases",
        pages: pages! {
            E0680 E0681 E0682 E0683 E0684 E0685 E0686 E0687 E0688 E0689 E0690 E0691 W0690
        },
    },
];

/// All pages, in the order of the layers.
pub fn pages() -> impl Iterator<Item = &'static Page> {
    LAYERS.iter().flat_map(|layer| layer.pages)
}

impl Page {
    /// What the code means, in a line.
    pub fn title(&self) -> &'static str {
        let heading = self.markdown.lines().next().unwrap_or_default();
        heading.split_once(": ").map_or(heading, |(_, title)| title)
    }

    /// The page for a terminal: fenced blocks are indented, files have their name above.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut is_fenced = false;
        for line in self.markdown.lines() {
            if let Some(fence) = line.strip_prefix("```") {
                is_fenced = !is_fenced;
                if let Some((_, name)) = fence.split_once(' ') {
                    text += &format!("{name}:\n");
                }
                continue;
            }
            let indent = if is_fenced && !line.is_empty() { "    " } else { "" };
            text += indent;
            text += line.strip_prefix("# ").unwrap_or(line);
            text.push('\n');
        }
        text
    }
}
