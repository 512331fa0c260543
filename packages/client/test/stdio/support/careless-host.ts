import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { ChildProcessTransport } from '../../../src/stdio/child-process.ts'

/**
 * Starts a server that ignores the end of its input, writes the server's pid, and exits without closing
 * anything.
 */
const script = fileURLToPath(new URL('server.mjs', import.meta.url))
const transport = new ChildProcessTransport({ command: execPath, args: [script, 'polite'], stderr: 'ignore' })
await transport.start({
  message: () => void process.stdout.write(String(transport.pid), () => process.exit(0)),
  malformed: () => {},
  close: () => {},
})
