//! Words for actions, so that a test reads what happened.

use palimpsest_window::{Action, Boundary, Draft, Notice, Projection};

/// One action in one line.
pub(crate) fn show(action: &Action) -> String {
    match action {
        Action::Notify(notice) => show_notice(notice),
        Action::Inject(draft) => format!("inject {}", show_draft(draft)),
        Action::Request(projection) => format!("request {}", show_projection(projection)),
        Action::Abort => "abort".into(),
        Action::Boundary(boundary) => show_boundary(boundary),
        Action::Build(build) => {
            let wanted = match build.wanted() {
                Some(wanted) => format!(" wants {:?} {:?}", wanted.cause, wanted.deadline),
                None => String::new(),
            };
            format!("build {}{wanted}", build.window())
        }
        Action::Append(draft) => format!("append {}", show_draft(draft)),
        Action::SendAndRun(draft) => format!("send {}", show_draft(draft)),
        Action::WaitIdle(_) => "wait".into(),
        Action::Reply(reply) => {
            let json: String = reply.json.split_whitespace().collect::<Vec<_>>().join(" ");
            let failed = if reply.failed { " failed" } else { "" };
            let terminate = if reply.terminate { " terminate" } else { "" };
            format!("reply {json}{failed}{terminate}")
        }
        Action::CancelCompaction => "cancel compaction".into(),
        Action::SkipSummary => "skip summary".into(),
        Action::ListenSettle(true) => "subscribe".into(),
        Action::ListenSettle(false) => "unsubscribe".into(),
        Action::ForgetSettings => "forget settings".into(),
        Action::Status => "status".into(),
        Action::Keep(closed) => format!(
            "keep {} {}",
            if closed.cancel_compaction { "cancel" } else { "allow" },
            if closed.reset_window { "reset" } else { "root" }
        ),
    }
}

pub(crate) fn show_notice(notice: &Notice) -> String {
    format!("{:?}: {}", notice.level, notice.text)
}

pub(crate) fn show_draft(draft: &Draft) -> String {
    match draft {
        Draft::Checkpoint { window_id, cause, data, usage } => {
            let data = data.as_ref().map(|data| format!(" data {data}")).unwrap_or_default();
            let usage = usage.as_ref().map(|usage| format!(" usage {usage}")).unwrap_or_default();
            format!("checkpoint({} {}{data}{usage})", cause.as_str(), short(window_id))
        }
        Draft::Marker { window_id } => format!("marker({})", short(window_id)),
        Draft::Message { tag, window_id, .. } => {
            let tag = tag.as_str().trim_start_matches("pi-context/");
            window_id.as_ref().map_or(tag.to_owned(), |id| format!("{tag}({})", short(id)))
        }
    }
}

fn show_boundary(boundary: &Boundary) -> String {
    let drafts: Vec<_> = boundary.drafts.iter().map(show_draft).collect();
    let proceed = boundary.proceed.map(|proceed| format!(", continue {proceed}")).unwrap_or_default();
    format!("boundary [{}]{proceed}", drafts.join(", "))
}

fn show_projection(projection: &Projection) -> String {
    let append = projection.append.as_ref().map(|draft| format!(" + {}", show_draft(draft))).unwrap_or_default();
    let fold = if projection.fold.is_empty() { String::new() } else { format!("fold {:?} ", projection.fold) };
    format!("{fold}{:?}{append}", projection.keep)
}

/// The part of a window's id behind the session's.
fn short(id: &str) -> &str {
    id.rsplit(':').next().unwrap_or(id)
}
