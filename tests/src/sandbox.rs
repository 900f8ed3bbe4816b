//! An isolated Pi: its own home, agent folder, working folder and environment.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Exit, Host, Model, ModelSpec, PROVIDER, Rpc, Session, Terminal, models::models_json, process};

/// A folder in which Pi runs without touching anything outside it.
///
/// The environment holds an allow-list only; the folder is deleted on drop.
#[derive(Debug)]
pub struct Sandbox {
    host: Host,
    root: TempDir,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
}

/// What a sandbox is to be made of.
#[derive(Debug)]
pub struct SandboxBuilder {
    host: Host,
    url: String,
    models: Vec<ModelSpec>,
    settings: Value,
    extensions: Vec<PathBuf>,
    extension_files: Vec<(String, String)>,
    files: Vec<(PathBuf, String)>,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
}

/// What `pi --mode json` printed.
#[derive(Clone, Debug)]
pub struct JsonRun {
    /// The printed records, the session header first.
    pub records: Vec<Value>,
    /// How the process ended.
    pub exit: Exit,
}

impl Sandbox {
    /// Starts the description of a sandbox whose models, by default one named `scripted-1`, are answered by `model`.
    pub fn builder(model: &Model) -> SandboxBuilder {
        SandboxBuilder {
            host: Host::find(),
            url: model.url(),
            models: vec![ModelSpec::new("scripted-1")],
            settings: json!({
                "defaultProvider": PROVIDER,
                "defaultThinkingLevel": "off",
                "enableInstallTelemetry": false,
                "quietStartup": true,
                "retry": { "baseDelayMs": 20 },
            }),
            extensions: Vec::new(),
            extension_files: Vec::new(),
            files: Vec::new(),
            args: Vec::new(),
            env: Vec::new(),
        }
    }

    /// A sandbox with nothing but the model.
    pub fn plain(model: &Model) -> Sandbox {
        Sandbox::builder(model).build()
    }

    /// The folder that holds everything of the sandbox.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// The home folder (`HOME`).
    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// Pi's agent folder: settings, models, sessions.
    pub fn agent_dir(&self) -> PathBuf {
        self.root().join("agent")
    }

    /// The working folder.
    pub fn work(&self) -> PathBuf {
        self.root().join("work")
    }

    /// The notes home, where notes live unless `PI_NOTES_HOME` says otherwise.
    pub fn notes_home(&self) -> PathBuf {
        self.home().join(".agents/notes")
    }

    /// Every session file, oldest first.
    pub fn session_files(&self) -> Vec<PathBuf> {
        let mut files: Vec<_> = folders_in(&self.agent_dir().join("sessions"))
            .iter()
            .flat_map(|folder| folders_in(folder))
            .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
            .collect();
        files.sort_by_key(|path| path.file_name().map(ToOwned::to_owned));
        files
    }

    /// The only session there is.
    ///
    /// # Panics
    ///
    /// When there are more or none.
    pub fn session(&self) -> Session {
        let files = self.session_files();
        assert_eq!(files.len(), 1, "exactly one session file expected, found {files:?}");
        Session::read(&files[0])
    }

    /// Sets a variable for the processes that are started from now on.
    pub fn set_env(&mut self, name: &str, value: impl Into<OsString>) {
        self.env.retain(|(known, _)| known != name);
        self.env.push((name.into(), value.into()));
    }

    /// Starts Pi in RPC mode.
    pub fn rpc(&self) -> Rpc {
        self.rpc_with(&[])
    }

    /// Starts Pi in RPC mode with more arguments, such as `-c` or `--session <path>`.
    pub fn rpc_with(&self, args: &[&str]) -> Rpc {
        Rpc::start(self.command(&[&["--mode", "rpc"], args].concat()))
    }

    /// Starts Pi in RPC mode in another working folder.
    pub fn rpc_in(&self, folder: &Path) -> Rpc {
        let mut command = self.command(&["--mode", "rpc"]);
        command.current_dir(folder);
        Rpc::start(command)
    }

    /// Runs Pi in print mode with a prompt and more arguments.
    pub fn print(&self, args: &[&str]) -> Exit {
        process::run(self.command(&[&["-p"], args].concat()))
    }

    /// Runs Pi in JSON mode with a prompt and more arguments.
    ///
    /// # Panics
    ///
    /// When a printed line is not JSON.
    pub fn json(&self, args: &[&str]) -> JsonRun {
        let exit = process::run(self.command(&[&["--mode", "json"], args].concat()));
        let parse = |line: &str| {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("json mode printed {line:?}: {error}\n{exit:?}"))
        };
        let records = exit.stdout.split_terminator('\n').map(parse).collect();
        JsonRun { records, exit }
    }

    /// Runs any other Pi command, such as `install <path>`, without the sandbox's extensions and arguments.
    pub fn pi(&self, args: &[&str]) -> Exit {
        let mut command = self.bare_command();
        command.args(args);
        process::run(command)
    }

    /// Starts the interactive Pi in a terminal of that many rows and columns.
    pub fn terminal(&self, rows: u16, columns: u16) -> Terminal {
        self.terminal_with(&[], rows, columns)
    }

    /// Starts the interactive Pi with more arguments in a terminal of that many rows and columns.
    pub fn terminal_with(&self, args: &[&str], rows: u16, columns: u16) -> Terminal {
        Terminal::start(&self.command(args), rows, columns)
    }

    /// The command that starts Pi with the sandbox's extensions and these arguments.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.bare_command();
        command.args(&self.args).args(args);
        command
    }

    /// Keeps the folder instead of deleting it.
    pub fn keep(self) -> PathBuf {
        self.root.keep()
    }

    fn bare_command(&self) -> Command {
        let mut command = Command::new(&self.host.node);
        command.arg(&self.host.pi).current_dir(self.work()).env_clear();
        if let Some(path) = env::var_os("PATH") {
            command.env("PATH", path);
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }
}

impl SandboxBuilder {
    /// Runs this Pi instead of the pinned one.
    #[must_use]
    pub fn host(mut self, host: Host) -> SandboxBuilder {
        self.host = host;
        self
    }

    /// Replaces the models; the first is the default.
    #[must_use]
    pub fn models(mut self, models: impl IntoIterator<Item = ModelSpec>) -> SandboxBuilder {
        self.models = models.into_iter().collect();
        self
    }

    /// Loads an extension (`-e`).
    #[must_use]
    pub fn extension(mut self, path: impl Into<PathBuf>) -> SandboxBuilder {
        self.extensions.push(path.into());
        self
    }

    /// Writes an extension to `extensions/<name>` in the sandbox and loads it (`-e`), after those that came before.
    #[must_use]
    pub fn extension_file(mut self, name: &str, source: &str) -> SandboxBuilder {
        self.extension_files.push((name.to_owned(), source.to_owned()));
        self
    }

    /// Writes a file at a path relative to the sandbox's root (`home/…`, `agent/…`, `work/…`).
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>, text: &str) -> SandboxBuilder {
        self.files.push((path.into(), text.to_owned()));
        self
    }

    /// Sets top-level keys of Pi's settings.json.
    #[must_use]
    pub fn settings(mut self, settings: Value) -> SandboxBuilder {
        let Value::Object(settings) = settings else {
            panic!("settings must be an object, not {settings}");
        };
        for (key, value) in settings {
            self.settings[key] = value;
        }
        self
    }

    /// Adds arguments to every start of Pi.
    #[must_use]
    pub fn args<T: Into<OsString>>(mut self, args: impl IntoIterator<Item = T>) -> SandboxBuilder {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable for every start of Pi.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> SandboxBuilder {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Makes the folder and its files.
    ///
    /// # Panics
    ///
    /// When a file cannot be written.
    pub fn build(self) -> Sandbox {
        let root = tempfile::Builder::new().prefix("palimpsest-").tempdir().expect("a temporary folder");
        let at = |relative: &str| root.path().join(relative);
        for folder in ["home", "agent", "work", "tmp"] {
            fs::create_dir(at(folder)).expect("a folder in the sandbox");
        }
        let mut settings = self.settings;
        settings["defaultModel"] = json!(self.models.first().map(ModelSpec::id));
        write(&at("agent/settings.json"), &settings.to_string());
        write(&at("agent/models.json"), &models_json(&self.url, &self.models));
        for (path, text) in &self.files {
            write(&root.path().join(path), text);
        }
        let mut args = Vec::new();
        for extension in &self.extensions {
            args.extend([OsString::from("-e"), extension.into()]);
        }
        for (name, source) in &self.extension_files {
            let path = root.path().join("extensions").join(name);
            write(&path, source);
            args.extend([OsString::from("-e"), path.into()]);
        }
        args.extend(self.args);
        let fixed: [(&str, OsString); 9] = [
            ("HOME", at("home").into()),
            ("TMPDIR", at("tmp").into()),
            ("LANG", "C.UTF-8".into()),
            ("TZ", "UTC".into()),
            ("PI_CODING_AGENT_DIR", at("agent").into()),
            ("PI_OFFLINE", "1".into()),
            ("PI_TELEMETRY", "0".into()),
            ("PI_SKIP_VERSION_CHECK", "1".into()),
            ("NODE_COMPILE_CACHE", Host::compile_cache().into()),
        ];
        let mut env: Vec<(OsString, OsString)> = fixed.into_iter().map(|(name, value)| (name.into(), value)).collect();
        env.extend(self.env);
        Sandbox { host: self.host, root, args, env }
    }
}

fn write(path: &Path, text: &str) {
    let folder = path.parent().expect("a file below the sandbox's root");
    fs::create_dir_all(folder).unwrap_or_else(|error| panic!("cannot create {}: {error}", folder.display()));
    fs::write(path, text).unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    entries.flatten().map(|entry| entry.path()).collect()
}
