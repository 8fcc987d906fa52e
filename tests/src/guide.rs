//! The chapters of the guide, so that their Rust blocks are compiled and run as doctests.

macro_rules! chapters {
    ($($name:ident = $file:literal;)*) => {$(
        #[doc = include_str!(concat!("../../docs/guide/", $file))]
        pub mod $name {}
    )*};
}

chapters! {
    first_pass = "first-pass.md";
    ir = "ir.md";
    split = "split.md";
    schedules = "schedules.md";
    testing = "testing.md";
    from_paddle = "from-paddle.md";
    from_mlir = "from-mlir.md";
}
