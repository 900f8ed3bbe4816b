//! What the user says, what the model answers, and which notes that leaves.

use palimpsest_tests::Step;

/// How a scene begins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Started {
    /// In the session of the scene before.
    Onward,
    /// In a new session, so that the model knows nothing but its notes.
    Afresh,
}

/// One prompt of the user and what the model does with it.
pub(crate) struct Scene {
    pub(crate) started: Started,
    pub(crate) user: &'static str,
    /// The answers that call a tool: its name, its arguments as JSON, and whether it refuses.
    calls: &'static [(&'static str, &'static str, Refused)],
    /// What the last tool's result must say.
    pub(crate) proof: &'static str,
    answer: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Refused {
    No,
    Yes,
}

impl Scene {
    /// The model's steps: one answer for each tool call and one of text.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let call = |(name, arguments, _): &(&str, &str, Refused)| Step::default().and_raw_tool(name, *arguments);
        let mut steps: Vec<_> = self.calls.iter().map(call).collect();
        steps.push(Step::text(self.answer));
        steps
    }

    /// The tools that run, in order, with whether each is an error.
    pub(crate) fn expected(&self) -> Vec<(&str, bool)> {
        self.calls.iter().map(|(name, _, refused)| (*name, *refused == Refused::Yes)).collect()
    }
}

pub(crate) const SCENES: &[Scene] = &[
    Scene {
        started: Started::Onward,
        user: "The staging database moved to db2.internal, port 5433. Keep that for everyone on this project.",
        calls: &[(
            "notes_write",
            r##"{"address":"@project/staging","content":"# Staging\n\nDatabase: db2.internal:5433\nDeploy with `make stage`, never on Fridays.\n","origin":"user"}"##,
            Refused::No,
        )],
        proof: r#""written": true"#,
        answer: "Kept as @project/staging.",
    },
    Scene {
        started: Started::Onward,
        user: "And I am colour-blind: no red against green in charts. Then start on the migration.",
        calls: &[
            (
                "notes_write",
                r#"{"address":"@human/charts","content":"Colour-blind: never red against green.\n","origin":"user"}"#,
                Refused::No,
            ),
            (
                "notes_write",
                r#"{"address":"migration","content":"- [ ] copy the tables\n- [ ] switch the clients\n"}"#,
                Refused::No,
            ),
        ],
        proof: r#""written": true"#,
        answer: "I remember that about you, and keep a list for this session.",
    },
    Scene {
        started: Started::Onward,
        user: "Sorry, the port is 5432.",
        calls: &[(
            "notes_edit",
            r#"{"address":"@project/staging","edits":[{"oldText":"db2.internal:5433","newText":"db2.internal:5432"}],"origin":"user"}"#,
            Refused::No,
        )],
        proof: "5432",
        answer: "Corrected.",
    },
    Scene {
        started: Started::Onward,
        user: "Copy the tables now. Then clear your head and go on with the clients.",
        calls: &[
            (
                "notes_write",
                r#"{"address":"handover","content":"goal: move staging to its new database\nstate: tables copied, 41 of 41\nnext: switch the clients\n"}"#,
                Refused::No,
            ),
            ("wipe_memory", "{}", Refused::No),
            ("notes_read", r#"{"address":"handover"}"#, Refused::No),
            ("history_search", r#"{"query":"port is","roles":["user"]}"#, Refused::No),
        ],
        proof: "port is 5432",
        answer: "Fresh head: my note says that the clients come next, and the history that their port is 5432.",
    },
    Scene {
        started: Started::Onward,
        user: "The migration is done. Tell the agent named planner.",
        calls: &[
            ("notes_edit", r#"{"address":"migration","crumpled":true}"#, Refused::No),
            ("notes_write", r#"{"address":"@agents/planner/news","content":"The migration is done.\n"}"#, Refused::Yes),
            ("notes_write", r#"{"address":"@project/news","content":"The migration is done.\n"}"#, Refused::No),
        ],
        proof: r#""written": true"#,
        answer: "I crumpled the list. Another agent's home is not mine to write, so the news is in the project's.",
    },
    Scene {
        started: Started::Afresh,
        user: "Where is the staging database?",
        calls: &[
            ("notes_search", r#"{"query":["staging","database"]}"#, Refused::No),
            ("notes_read", r#"{"address":"@project/staging"}"#, Refused::No),
        ],
        proof: "db2.internal:5432",
        answer: "At db2.internal, port 5432. Not to be deployed on Fridays, by the way.",
    },
    Scene {
        started: Started::Onward,
        user: "What else do you know?",
        calls: &[("notes_list", r#"{"pattern":"@human/**"}"#, Refused::No), ("notes_list", "{}", Refused::No)],
        proof: "@project/news",
        answer: "How you like your charts, and that the migration is done.",
    },
    Scene {
        started: Started::Onward,
        user: "Which port did I give you first, before I corrected it?",
        calls: &[
            ("history_search", r#"{"query":"db2.internal, port","roles":["user"]}"#, Refused::No),
            ("history_search", r#"{"query":"db2.internal, port","roles":["user"],"scope":"project"}"#, Refused::No),
        ],
        proof: "db2.internal, port 5433. Keep that",
        answer: "5433. The note holds only the right one, but what you said is in the history of our first session.",
    },
];

/// The file names of the notes that the story leaves, sorted.
pub(crate) const NOTES: [&str; 5] = ["charts.md", "handover.md", "migration.md", "news.md", "staging.md"];
