//! A second opinion in numbers: runs programs and plans in `f64`.
