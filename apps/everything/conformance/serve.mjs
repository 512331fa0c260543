/** Starts the built app as a process. */
import { spawn } from 'node:child_process'
import process, { execPath } from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))

/** Starts a server. Resolves when it is listening. */
export async function serve(flags) {
  const child = spawn(execPath, [main, '--http', '--port', '0', ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // The server must not outlive a run that fails.
  const end = () => child.kill()
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  const printed = []
  for await (const line of createInterface({ input: child.stderr })) {
    if (!line.startsWith('{"ready"')) {
      printed.push(line)
      continue
    }
    // Leaving the loop has paused the stream. It must continue, or the server would block on a full pipe.
    child.stderr.resume()
    return { url: JSON.parse(line).url, child }
  }
  throw new Error(`The server ended before it was ready:\n${printed.join('\n')}`)
}
