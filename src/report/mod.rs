//! Reports: a run in, text out. They print nothing and compute nothing but the digits to show.

pub mod json;
pub mod libgcrypt_csv;
pub mod table;

/// `value` with this many significant digits, whole numbers in full: `0.1568`, `40.76`, `19459`.
#[must_use]
pub fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    // Rounded first, so that 9.9996 becomes 10.00 rather than 10.000.
    let mut magnitude = value.abs().log10().floor() as i32;
    let scale = 10_f64.powi(digits - 1 - magnitude);
    if (value.abs() * scale).round() >= 10_f64.powi(digits) {
        magnitude += 1;
    }
    let decimals = (digits - 1 - magnitude).max(0);
    format!("{value:.*}", decimals as usize)
}

#[cfg(test)]
mod tests {
    use super::significant;

    #[test]
    fn digits_are_significant() {
        for (value, text) in [
            (0.15678, "0.1568"),
            (1.69, "1.690"),
            (40.7573, "40.76"),
            (564.66, "564.7"),
            (1586.4, "1586"),
            (19459.2, "19459"),
            (9.99996, "10.00"),
            (999.96, "1000"),
            (0.049, "0.04900"),
            (0.0, "0"),
        ] {
            assert_eq!(significant(value, 4), text);
        }
        assert_eq!(significant(1.9712345, 6), "1.97123");
        assert_eq!(significant(123_456_789.0, 6), "123456789");
    }
}
