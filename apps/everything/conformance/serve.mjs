/** The built app as a process of its own. */
import { spawn } from 'node:child_process'
import process, { execPath } from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))

/** Starts a server and resolves when it listens. */
export async function serve(flags) {
  const child = spawn(execPath, [main, '--http', '--port', '0', ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // A run that fails ends this process, and nothing of it may stay.
  const end = () => child.kill()
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  const heard = []
  for await (const line of createInterface({ input: child.stderr })) {
    if (!line.startsWith('{"ready"')) {
      heard.push(line)
      continue
    }
    // Leaving the loop pauses the stream.
    child.stderr.resume()
    return { url: JSON.parse(line).url, child }
  }
  throw new Error(`The server ended before it was ready:\n${heard.join('\n')}`)
}
