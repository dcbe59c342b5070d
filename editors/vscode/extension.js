// The client: it starts `tensorsh lsp` and lets VS Code talk to it.
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function settings() {
  const chosen = vscode.workspace.getConfiguration("tensorsh");
  const names = ["run", "seconds", "memory", "inlayHints"];
  return Object.fromEntries(names.map((name) => [name, chosen.get(name)]));
}

async function start() {
  const chosen = vscode.workspace.getConfiguration("tensorsh");
  const [command, ...args] = chosen.get("command");
  const documentSelector = [{ language: "tensorsh" }];
  if (chosen.get("python")) {
    documentSelector.push({ language: "python", scheme: "file" });
  }
  client = new LanguageClient(
    "tensorsh",
    "tensorsh",
    { command, args, transport: TransportKind.stdio },
    { documentSelector, initializationOptions: settings() },
  );
  try {
    await client.start();
  } catch (error) {
    const said = 'The language server did not start. Install it: pip install "tensorsh[editor]"';
    vscode.window.showErrorMessage(`${said} (${error.message ?? error})`);
  }
}

async function stop() {
  const before = client;
  client = undefined;
  if (before && before.isRunning()) {
    await before.stop();
  }
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("tensorsh.restart", async () => {
      await stop();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("tensorsh.command") || event.affectsConfiguration("tensorsh.python")) {
        await stop();
        await start();
      } else if (event.affectsConfiguration("tensorsh") && client && client.isRunning()) {
        await client.sendNotification("workspace/didChangeConfiguration", { settings: { tensorsh: settings() } });
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
