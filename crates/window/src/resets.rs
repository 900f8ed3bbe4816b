//! Windows that begin: resets at boundaries, and what a crash or a change of branch has left to complete.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::action::{Action, Boundary, Closed, Draft};
use crate::boot::{Frame, Rendered, render};
use crate::branch::Branch;
use crate::build::{Build, Deadline, Ended, Purpose, Wanted};
use crate::facts::{Asked, Facts};
use crate::material::Material;
use crate::notices;
use crate::texts::CONTINUATION;
use crate::vocabulary::{Cause, Tag};
use crate::windows::Windows;

impl Windows {
    pub(crate) fn reset(
        &mut self,
        cause: Cause,
        proceed: bool,
        deadline: Deadline,
        kept: Vec<Draft>,
        branch: &Branch,
        facts: &mut dyn Facts,
    ) -> Build {
        let old = branch.window_id().to_string();
        let presentable = branch.is_root()
            || branch.compacted_since()
            || cause != Cause::Manual
            || Asked { branch, facts }.shows_boot_of(&old) == Some(true);
        let cause = if presentable { cause } else { Cause::Repair };
        let window = loop {
            let id = format!("pcw:{}:{:08x}", branch.prefix(), facts.draw());
            if branch.windows().all(|used| used != id) {
                break id;
            }
        };
        Build {
            purpose: Purpose::Reset { old: old.clone(), cause, proceed, kept },
            previous: Some(old),
            ended: Some(Ended::of(branch, branch.ordinal())),
            wanted: Some(Wanted { cause: Some(cause), deadline, data: None }),
            ..self.build(window, branch, facts)
        }
    }

    /// A build that ensures a boot; callers say what is different.
    fn build(&self, window: String, branch: &Branch, facts: &mut dyn Facts) -> Build {
        Build {
            purpose: Purpose::Ensure,
            session: branch.session().to_string(),
            first: branch.root_id().to_string(),
            window,
            previous: branch.previous_id().map(str::to_string),
            names: facts.names(),
            generation: self.generation,
            ended: None,
            wanted: None,
        }
    }

    /// Completes what a crash or a change of branch has left open, without a run and without a word.
    pub(crate) fn ensure_boot(&mut self, branch: &Branch, facts: &mut dyn Facts, out: &mut Vec<Action>) {
        if !self.is_on() {
            return;
        }
        if let Some(open) = branch.open_checkpoint() {
            let wanted = Wanted {
                cause: open.cause.and_then(Cause::parse),
                deadline: Deadline::Now,
                data: open.data.map(str::to_string),
            };
            out.push(Action::Build(Box::new(Build {
                purpose: Purpose::Complete { checkpoint: open.entry.to_string() },
                previous: Some(branch.window_id().to_string()),
                ended: Some(Ended::of(branch, branch.ordinal())),
                wanted: Some(wanted),
                ..self.build(open.window.to_string(), branch, facts)
            })));
            return;
        }
        let window = branch.window_id();
        let tail = branch.tail();
        match (Asked { branch, facts }).shows_boot_of(window) {
            None => {}
            Some(true) => out.extend(missing_continuation(branch)),
            Some(false) => {
                let wanted = tail.is_some().then(|| Wanted {
                    cause: branch.cause_of(window).and_then(Cause::parse),
                    deadline: Deadline::Now,
                    data: branch.checkpoint_data().map(str::to_string),
                });
                out.push(Action::Build(Box::new(Build {
                    ended: tail.map(|_| Ended::of(branch, branch.ordinal() - 1)),
                    wanted,
                    ..self.build(window.to_string(), branch, facts)
                })));
            }
        }
    }

    pub(crate) fn built(
        &mut self,
        mut build: Box<Build>,
        material: Result<Box<Material>, String>,
        aborted: bool,
        branch: &Branch,
        facts: &mut dyn Facts,
        out: &mut Vec<Action>,
    ) {
        let current =
            self.works() && !aborted && build.generation == self.generation && build.session == branch.session();
        match &build.purpose {
            Purpose::Reset { old, cause, proceed, kept } => {
                let current = current && *old == branch.window_id();
                let mut boundary = Boundary { drafts: kept.clone(), proceed: None };
                match material {
                    Ok(material) if current => {
                        boundary.drafts.push(Draft::Checkpoint {
                            window_id: build.window.clone(),
                            cause: *cause,
                            data: material.payload.data.clone(),
                            usage: material.payload.usage.clone(),
                        });
                        boundary.drafts.extend(self.window_opening(&build, &material, out));
                        boundary.proceed = Some(*proceed);
                        self.resets.push(build.window.clone());
                        // Whoever asked meanwhile for the end of this window has it.
                        self.state.drop_request(old);
                        out.push(Action::Keep(Closed { cancel_compaction: true, reset_window: true }));
                    }
                    Err(cause) if current => out.push(Action::Notify(notices::reset_failed(&cause))),
                    Ok(_) | Err(_) => {}
                }
                out.push(Action::Boundary(boundary));
            }
            Purpose::Complete { checkpoint } => {
                let open = branch.open_checkpoint().is_some_and(|open| open.entry == checkpoint.as_str());
                match material {
                    Ok(material) if current && open => {
                        let drafts = self.window_opening(&build, &material, out);
                        out.extend(drafts.into_iter().map(Action::Append));
                        self.state.drop_request(branch.window_id());
                        out.push(Action::Keep(Closed { cancel_compaction: true, reset_window: true }));
                    }
                    Err(cause) if current && open => out.push(Action::Notify(notices::boot_failed(&cause))),
                    Ok(_) | Err(_) => {}
                }
            }
            Purpose::Ensure => {
                let current = current && branch.open_checkpoint().is_none() && branch.window_id() == build.window;
                let shown = current.then(|| Asked { branch, facts }.shows_boot_of(&build.window)).flatten();
                match (material, shown) {
                    (Ok(material), Some(false)) => {
                        let tail = branch.tail();
                        // Behind a conversation that began meanwhile the boot is no longer the first thing said.
                        build.wanted = build.wanted.filter(|_| tail.is_some());
                        let boot = self.boot(&build, &material, out);
                        out.push(Action::Append(boot));
                        out.extend(tail.filter(|tail| !tail.continuation).map(|_| Action::Append(continuation())));
                    }
                    (Ok(_), Some(true)) => out.extend(missing_continuation(branch)),
                    (Err(cause), Some(false)) => out.push(Action::Notify(notices::boot_failed(&cause))),
                    (Err(_), Some(true)) | (_, None) => {}
                }
            }
        }
    }

    fn window_opening(&mut self, build: &Build, material: &Material, out: &mut Vec<Action>) -> [Draft; 3] {
        let boot = self.boot(build, material, out);
        [Draft::Marker { window_id: build.window.clone() }, boot, continuation()]
    }

    fn boot(&mut self, build: &Build, material: &Material, out: &mut Vec<Action>) -> Draft {
        let frame = Frame {
            names: &build.names,
            first: &build.first,
            current: &build.window,
            previous: build.previous.as_deref(),
            tools: &self.tools,
            ended: build.ended.as_ref().filter(|_| build.wanted.is_some()),
        };
        let Rendered { text, unreadable, over } = render(&frame, material);
        if !unreadable.is_empty() && self.told.unreadable.insert(build.window.clone()) {
            out.push(Action::Notify(notices::unreadable_homes(&unreadable)));
        }
        if let Some(limit) = over.filter(|_| self.told.oversized.insert(build.window.clone())) {
            out.push(Action::Notify(notices::oversized(text.len(), &limit)));
        }
        Draft::Message { tag: Tag::Boot, content: text, window_id: Some(build.window.clone()) }
    }
}

fn continuation() -> Draft {
    Draft::Message { tag: Tag::Continuation, content: CONTINUATION.to_string(), window_id: None }
}

/// The continuation, where the boot is shown and nothing else stands behind the marker.
fn missing_continuation(branch: &Branch) -> Option<Action> {
    let tail = branch.tail()?;
    (!tail.continuation).then(|| Action::Append(continuation()))
}
