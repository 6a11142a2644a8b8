//! Holds the known answers of MACs and KDFs to what `vectors/README.md` promises, and every
//! algorithm of the two sections to them.

use bench_slope_algorithms::{
    Axis, Catalogue, Entry, Placement, Section, Setup, Unverified, Vector,
};

const SECTIONS: [Section; 2] = [Section::Mac, Section::Kdf];

/// Bytes of message that go through one call of the compression function, permutation or cipher;
/// for BLAKE3 the bytes of a leaf.
fn block_bytes(algorithm: &str) -> usize {
    match algorithm {
        "BLAKE3_KEYED" => 1024,
        "KMAC128" | "KMAC256" => 168,
        "HMAC_SHA3_224" => 144,
        "HMAC_SHA3_256" => 136,
        "HMAC_SHA384" | "HMAC_SHA512" | "HMAC_SHA512_256" | "HMAC_SHA512_224" => 128,
        "HMAC_BLAKE2B_512" | "HMAC_BLAKE2B_384" | "HMAC_BLAKE2B_256" | "HMAC_BLAKE2B_160" => 128,
        "BLAKE2B_KEYED_512" => 128,
        "HMAC_SHA3_384" => 104,
        "HMAC_SHA3_512" => 72,
        "HMAC_GOSTR3411_94" | "HMAC_GOSTR3411_CP" => 32,
        "BLAKE2S_KEYED_256" => 64,
        name if name.starts_with("HMAC_") => 64,
        // Block ciphers, Poly1305, GHASH; shorter for SipHash and ciphers of eight bytes.
        _ => 16,
    }
}

fn entries(catalogue: &Catalogue) -> impl Iterator<Item = &Entry> {
    catalogue.entries().iter().filter(|entry| SECTIONS.contains(&entry.section))
}

#[test]
fn every_entry_has_answers_enough() {
    let catalogue = Catalogue::standard();
    let mut complaints = Vec::new();
    for entry in entries(&catalogue) {
        let name = entry.algorithm;
        let answers: Vec<&Vector> = catalogue.answers(entry).collect();
        if answers.len() < 2 {
            complaints.push(format!("{name}: {} known answers, two are needed", answers.len()));
        }
        let long = match entry.section {
            Section::Mac => answers.iter().any(|v| v.input.len() > block_bytes(name)),
            // PBKDF2 works block by block of output, and does more from the second iteration on.
            _ => {
                answers.iter().any(|v| v.output.len() > entry.output_bytes)
                    || !name.starts_with("PBKDF2")
            }
        };
        if !long {
            complaints.push(format!("{name}: no answer goes beyond a block"));
        }
        if entry.section == Section::Kdf {
            let mut counts: Vec<_> = answers.iter().map(|v| v.count).collect();
            counts.sort_unstable();
            counts.dedup();
            if counts.len() < 2 || counts.contains(&None) {
                complaints.push(format!("{name}: the answers do not differ in their count"));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn every_answer_has_its_entry_and_fits_it() {
    let catalogue = Catalogue::standard();
    let mut seen = [0, 0];
    for vector in catalogue.vectors() {
        let Some(place) = SECTIONS.iter().position(|section| section.word() == vector.section)
        else {
            continue;
        };
        seen[place] += 1;
        let name = &vector.algorithm;
        let entry = entries(&catalogue)
            .find(|entry| catalogue.answers(entry).any(|answer| std::ptr::eq(answer, vector)))
            .unwrap_or_else(|| panic!("no entry is called {name}"));
        assert!(!vector.source.trim().is_empty(), "{name}: an answer has no source");
        assert!(vector.tag.is_empty(), "{name}: the tag of a MAC is its output");
        if entry.section == Section::Mac {
            assert_eq!(vector.nonce.len(), entry.nonce_bytes, "{name}: {}", vector.source);
            assert_eq!(vector.count, None, "{name}: {}", vector.source);
        } else {
            assert!(vector.input.is_empty(), "{name}: a KDF has no message");
        }
        if !entry.extendable {
            assert_eq!(vector.output.len(), entry.output_bytes, "{name}: {}", vector.source);
        }
    }
    assert!(seen[0] >= 2 * 58 && seen[1] >= 2 * 32, "{seen:?}");
}

#[test]
fn every_case_gives_all_its_answers() {
    let catalogue = Catalogue::standard();
    let mut complaints = Vec::new();
    for section in SECTIONS {
        for case in catalogue.cases(section) {
            let expected = catalogue.answers(&case.entry).count();
            match catalogue.verify(&case, usize::MAX) {
                Ok(right) if right == expected => {}
                Ok(right) => {
                    complaints.push(format!("{}: {right} of {expected} answers", case.id()));
                }
                Err(error) => complaints.push(error.to_string()),
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// What timing does: every size of the axis, several runs each, all with one answer.
#[test]
fn timing_sets_up_what_runs() {
    let catalogue = Catalogue::standard();
    for section in SECTIONS {
        for case in catalogue.cases(section) {
            let setup = case.timing_setup(Placement::default());
            let mut routine = case.open(&setup).unwrap_or_else(|e| panic!("{}: {e}", case.id()));
            let sizes = case.entry.axis.sizes();
            let (first, last) = (sizes[0], sizes[sizes.len() - 1]);
            assert!(sizes.is_sorted() && first < last, "{}", case.id());
            let mut answers = Vec::new();
            for size in [first, last, first] {
                routine.prepare(size).unwrap_or_else(|e| panic!("{}, {size}: {e}", case.id()));
                routine.run();
                let once = routine.output().to_vec();
                routine.run();
                assert_eq!(routine.output(), once, "{}, {size}", case.id());
                assert!(!once.is_empty(), "{}, {size}", case.id());
                answers.push(once);
            }
            assert_eq!(answers[0], answers[2], "{}", case.id());
            // GHASH and its kin give zeros for nothing; the longest message gives something.
            assert_ne!(answers[0], answers[1], "{}", case.id());
        }
    }
}

#[test]
fn what_cannot_be_done_is_refused() {
    let catalogue = Catalogue::standard();
    let open = |section, name: &str, change: fn(&mut Setup), size: usize| {
        let entry = catalogue.find(section, name).expect("it is there");
        let case = entry.case(entry.operations[0]);
        let mut setup = case.timing_setup(Placement::default());
        change(&mut setup);
        case.open(&setup).and_then(|mut routine| routine.prepare(size))
    };
    let mac = |name, change| open(Section::Mac, name, change, 64);
    for name in ["cmac_aes", "gmac_aes", "poly1305", "poly1305_aes", "siphash", "blake3_keyed"] {
        assert!(mac(name, |_| ()).is_ok(), "{name}");
        assert!(mac(name, |setup| setup.key.truncate(7)).is_err(), "{name}: a short key");
        assert!(mac(name, |setup| setup.nonce.push(0)).is_err(), "{name}: a long nonce");
        assert!(mac(name, |setup| setup.output_bytes = 5).is_err(), "{name}: a short tag");
        assert!(open(Section::Mac, name, |_| (), 4097).is_err(), "{name}: a long message");
    }
    let kdf = |name, size| open(Section::Kdf, name, |_| (), size);
    for (name, good, bad) in [
        ("pbkdf2-hmac-sha256", 1, 0),
        ("scrypt", 32, 33),
        ("argon2id", 1, 0),
        ("argon2id_2pass", 8, 7),
        ("hkdf-sha256", 1024, 1025),
    ] {
        assert!(kdf(name, good).is_ok(), "{name}, {good}");
        assert!(kdf(name, bad).is_err(), "{name}, {bad}");
    }
    assert!(open(Section::Kdf, "argon2id", |setup| setup.nonce.clear(), 1).is_err());
    assert!(open(Section::Kdf, "scrypt", |setup| setup.output_bytes = 0, 16).is_err());
}

/// One iteration of PBKDF2 is one HMAC only as long as timing asks for one block of output.
#[test]
fn timing_of_pbkdf2_asks_for_one_block() {
    let catalogue = Catalogue::standard();
    let mut pairs = 0;
    for entry in entries(&catalogue).filter(|entry| entry.algorithm.starts_with("PBKDF2-")) {
        assert!(matches!(entry.axis, Axis::Count { unit: "iter", .. }), "{entry:?}");
        let name = &entry.algorithm["PBKDF2-HMAC-".len()..];
        let hash = catalogue.find(Section::Hash, name).expect("its hash is there");
        assert_eq!(entry.output_bytes, hash.output_bytes, "{entry:?}");
        pairs += 1;
    }
    assert_eq!(pairs, 32);
}

/// RFC 4231, test case 1, right and with its last bit flipped.
#[test]
fn one_flipped_bit_is_noticed() {
    const RIGHT: &str = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7";
    let standard = Catalogue::standard();
    let entry = standard.find(Section::Mac, "hmac-sha256").expect("it is there");
    let verify = |output: &str| {
        let line = format!("HMAC_SHA256 key=0b*20 input=\"Hi There\" output={output} ; a test");
        let catalogue =
            Catalogue::new(vec![entry.clone()], &[("mac", &line)]).expect("the line parses");
        catalogue.verify(&entry.case(entry.operations[0]), usize::MAX)
    };
    assert_eq!(verify(RIGHT), Ok(1));
    let flipped = RIGHT.replace("cff7", "cff6");
    assert!(matches!(verify(&flipped), Err(Unverified::WrongAnswer { .. })));
}
