import { readdirSync } from 'node:fs'
import { type Running, runs, startNode, statOf } from '@jetway-apps/test-support/processes'
import { program } from '@jetway-tools/runtimes/program'
import { expect, onTestFinished, vi } from 'vitest'

const MAIN = program(new URL('../../src/main.ts', import.meta.url))
/** The developer's own variables, which would select a model. */
const NO_MODEL = Object.fromEntries(
  [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'OPENAI_API_KEY',
    'OPENAI_BASE_URL',
  ].map((name) => [name, undefined]),
)

/** The app in a child process. */
export interface App extends Running {
  /** Waits until stdout or stderr contains a text. */
  waitForText(text: string): Promise<void>
  type(line: string): void
  /** The process ids of the running servers. */
  serverPids(): readonly number[]
}

export function startApp(args: readonly string[], env: Readonly<Record<string, string>> = {}): App {
  const app = startNode([...MAIN, ...args], { ...NO_MODEL, ...env })
  onTestFinished(() => void app.process.kill('SIGKILL'))
  return {
    ...app,
    waitForText: (text) => vi.waitFor(() => expect(app.output.stdout + app.output.stderr).toContain(text)),
    type: (line) => void app.process.stdin.write(`${line}\n`),
    serverPids: () => groupLeadersOf(app.process.pid as number),
  }
}

/** Returns the child processes that lead a process group: the servers, but not the TypeScript compiler. */
function groupLeadersOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      const [, above, group] = statOf(Number(name))
      return above === String(parent) && group === name
    })
    .map(Number)
}

export { runs as isRunning }
