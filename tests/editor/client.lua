-- A real Neovim as the client: it opens a text, waits for what the server tells, asks, and writes all of it as JSON.
local uri = vim.uri_from_bufnr(0)
local client = vim.lsp.start_client({
  cmd = vim.split(vim.env.TENSORSH_LSP, " "),
  root_dir = vim.fn.getcwd(),
  init_options = { seconds = 2 },
})
vim.lsp.buf_attach_client(0, client)
local function faults()
  return vim.diagnostic.get(0)
end
assert(vim.wait(30000, function() return #faults() > 0 end, 20), "no diagnostics")
local function ask(method, params)
  params.textDocument = { uri = uri }
  local found = vim.lsp.buf_request_sync(0, method, params, 10000)
  return found and found[client] and found[client].result or vim.NIL
end
local told = { faults = {}, encoding = vim.lsp.get_client_by_id(client).offset_encoding }
for _, each in ipairs(faults()) do
  table.insert(told.faults, { each.lnum, each.col, each.end_col, each.message })
end
told.hover = ask("textDocument/hover", { position = { line = 2, character = 4 } })
told.completion = ask("textDocument/completion", { position = { line = 3, character = 2 } })
told.symbols = ask("textDocument/documentSymbol", {})
vim.api.nvim_buf_set_lines(0, 2, 3, false, { "y = x @ w.T" })
assert(vim.wait(30000, function() return #faults() == 0 end, 20), "the diagnostics stayed")
told.after = #faults()
local file = assert(io.open(vim.env.TENSORSH_TOLD, "w"))
file:write(vim.json and vim.json.encode(told) or vim.fn.json_encode(told))
file:close()
vim.cmd("qa!")
