//! Settings: values in, checked settings and complaints out.

use palimpsest_window::{Policy, Settings, SettingsScope, Value};

fn settings() -> Settings {
    Settings { enabled: true, reminder_margin_tokens: 24_576, boot_carryover: true, dreamer: None }
}

#[track_caller]
fn check(global: SettingsScope, project: SettingsScope, expected: Settings, complaints: &[&str]) {
    assert_eq!(Settings::resolve(&global, &project), (expected, complaints.iter().map(|it| (*it).into()).collect()));
}

fn scope() -> SettingsScope {
    SettingsScope::default()
}

/// G4.4, C3: what is missing has its default, without a word.
#[test]
fn defaults() {
    check(scope(), scope(), settings(), &[]);
    assert_eq!(Policy::default(), Policy { reserve: 16_384, automatic: true, margin: 24_576 });
}

/// G4.5, G4.8, C3: the project wins key by key, and keys that it lacks stay.
#[test]
fn the_project_wins_for_each_key() {
    let global = SettingsScope {
        enabled: Value::Bool(false),
        reminder_margin_tokens: Value::Number(1.0),
        boot_carryover: Value::Bool(false),
        dreamer: Value::Text(" a/b\n".into()),
    };
    let expected =
        Settings { enabled: false, reminder_margin_tokens: 1, boot_carryover: false, dreamer: Some("a/b".into()) };
    check(global.clone(), scope(), expected.clone(), &[]);
    let project = SettingsScope { enabled: Value::Bool(true), ..scope() };
    check(global.clone(), project, Settings { enabled: true, ..expected.clone() }, &[]);
    let project = SettingsScope { reminder_margin_tokens: Value::Number(9_007_199_254_740_991.0), ..scope() };
    check(global, project, Settings { reminder_margin_tokens: 9_007_199_254_740_991, ..expected }, &[]);
}

/// G4.6: a margin that is none; the notice names the key and holds no number.
#[test]
fn margins_that_are_none() {
    let complaint =
        "the setting pi-context.reminderMarginTokens must be a whole number above zero; the default is used";
    for value in [
        Value::Number(0.0),
        Value::Number(-1.0),
        Value::Number(1.5),
        Value::Number(9_007_199_254_740_992.0),
        Value::Number(f64::NAN),
        Value::Number(f64::INFINITY),
        Value::Text("24576".into()),
        Value::Bool(true),
        Value::Other,
    ] {
        let project = SettingsScope { reminder_margin_tokens: value, ..scope() };
        let global = SettingsScope { reminder_margin_tokens: Value::Number(5.0), ..scope() };
        check(global, project, settings(), &[complaint]);
    }
}

/// G4.16, G4.17: a switch of a wrong type warns once and means true.
#[test]
fn switches_that_are_none() {
    for value in [Value::Number(0.0), Value::Text("false".into()), Value::Other] {
        let wrong = SettingsScope { enabled: value.clone(), boot_carryover: value, ..scope() };
        let complaints = [
            "the setting pi-context.enabled must be true or false; the default, true, is used",
            "the setting pi-context.bootCarryover must be true or false; the default, true, is used",
        ];
        check(wrong, scope(), settings(), &complaints);
    }
}

#[test]
fn dreamers_that_are_none() {
    for value in [Value::Text(" \n".into()), Value::Bool(true), Value::Number(1.0), Value::Other] {
        let wrong = SettingsScope { dreamer: value, ..scope() };
        check(
            wrong,
            scope(),
            settings(),
            &["the setting pi-context.dreamer must be the name of a model; it is ignored"],
        );
    }
}

/// C2: settings that cannot be read at all.
#[test]
fn unreadable_settings() {
    let complaint = "the settings cannot be read, and defaults are used: no such file. correct the settings file";
    assert_eq!(Settings::unreadable("no such file"), complaint);
}
