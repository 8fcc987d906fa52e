//! The facts of arithmetic that the rules rest on, tried.

/// Floats of every exponent and sign, with a few significands, and the odd ones.
fn floats() -> impl Iterator<Item = f32> {
    let significands = [0, 1, 0x2a_aaaa, 0x40_0000, 0x7f_ffff];
    (0..512u32).flat_map(move |head| significands.map(|low| f32::from_bits(head << 23 | low)))
}

fn is_same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

#[test]
fn times_one_divided_by_one_and_minus_zero_are_exact_and_plus_zero_is_but_for_its_sign() {
    for x in floats() {
        assert!(is_same(x * 1.0, x) && is_same(x / 1.0, x) && is_same(x - 0.0, x), "{x}");
        assert!(is_same(x + 0.0, x) || x == 0.0, "{x}");
        assert!(is_same(x * 1.0 + 0.0, x) || x == 0.0, "{x}");
    }
    assert!(!is_same(-0.0 + 0.0, -0.0) && !is_same(-0.0 - -0.0, -0.0));
}

#[test]
fn ops_of_which_twice_is_once_are_so_for_every_float() {
    let relu = |x: f32| if x > 0.0 { x } else { 0.0 };
    for op in [relu, f32::abs, f32::floor, f32::ceil] {
        assert!(floats().all(|x| is_same(op(op(x)), op(x))));
    }
}

/// Every number of the narrow types survives the wide ones. (`bf16` is the upper half of an `f32`.)
#[test]
fn casts_to_wider_types_lose_nothing() {
    for bits in 0..=u16::MAX {
        let (signed, unsigned) = (bits as i16, bits as u8);
        assert_eq!(i64::from(signed) as i16, signed);
        assert_eq!(i16::from(unsigned) as u8, unsigned);
        let bf16 = f32::from_bits(u32::from(bits) << 16);
        assert!(is_same(f64::from(bf16) as f32, bf16));
    }
    assert!(floats().all(|x| is_same(f64::from(x) as f32, x)));
}

/// What the rule computes in doubles is what a kernel computes in floats.
#[test]
fn small_integers_are_scaled_exactly() {
    let steps = [-4096, -4095, -256, -17, -1, 1, 2, 3, 255, 4095, 4096];
    for v in steps {
        for s in steps {
            for b in steps {
                let exact = i64::from(v) * i64::from(s) + i64::from(b);
                let [v, s, b] = [v, s, b].map(|number| number as f32);
                // 4096 * 4096 is 2^24; beyond it the rule does not fire.
                if exact.abs() <= 1 << 24 {
                    assert_eq!(f64::from(v * s + b), exact as f64, "{v} * {s} + {b}");
                }
            }
        }
    }
}

/// `transpose(transpose(x, p), q)` by moving numbers, against one transpose by `p[q[i]]`.
#[test]
fn two_transposes_are_one() {
    let permutations = |rank: usize| {
        let all = (0..rank.pow(rank as u32)).map(move |code| {
            (0..rank).map(|i| code / rank.pow(i as u32) % rank).collect::<Vec<_>>()
        });
        all.filter(move |perm| (0..rank).all(|axis| perm.contains(&axis)))
    };
    // The index of an element of the result, from that of x: its i-th coordinate is that of axis p[i].
    let moved =
        |at: &[usize], perm: &[usize]| perm.iter().map(|&axis| at[axis]).collect::<Vec<_>>();
    for rank in 1..=4 {
        let at: Vec<usize> = (10..10 + rank).collect();
        for p in permutations(rank) {
            for q in permutations(rank) {
                let composed: Vec<usize> = q.iter().map(|&axis| p[axis]).collect();
                assert_eq!(moved(&moved(&at, &p), &q), moved(&at, &composed));
            }
        }
    }
}
