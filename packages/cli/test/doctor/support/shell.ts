/** A server written as shell code, so that it starts immediately. */
export interface ShellServer {
  /** Code that runs before the server. */
  readonly before?: string
  readonly tools?: readonly string[]
  /** Whether the server responds to `initialize` with an error. */
  readonly refuses?: boolean
}

export function shellServer({ before = '', tools = [], refuses = false }: ShellServer = {}): string {
  const list = tools.map((name) => ({ name, description: 'Does it', inputSchema: { type: 'object' } }))
  const result = {
    protocolVersion: '2025-11-25',
    capabilities: tools.length === 0 ? {} : { tools: {} },
    serverInfo: { name: 'a', version: '1' },
  }
  const error = { code: -32603, message: 'No' }
  return `${before}
while IFS= read -r line; do
  case $line in *'"id":'*) ;; *) continue ;; esac
  id=\${line#*'"id":'}
  id=\${id%%[,\\}]*}
  case $line in
    *'"method":"initialize"'*) answer='${JSON.stringify(refuses ? { error } : { result })}' ;;
    *'"method":"tools/list"'*) answer='${JSON.stringify({ result: { tools: list } })}' ;;
    *) answer='{"error":{"code":-32601,"message":"Method not found"}}' ;;
  esac
  echo '{"jsonrpc":"2.0","id":'"$id,\${answer#?}"
done
`
}
