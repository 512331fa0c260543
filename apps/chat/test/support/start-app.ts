import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, onTestFinished, vi } from 'vitest'

/** How sources are run, without a build. */
export const FROM_SOURCE: readonly string[] = [
  '--conditions=jetway:source',
  '--import',
  pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href,
]

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** The app as a process of its own. */
export interface App {
  readonly process: ChildProcess
  readonly said: { stdout: string; stderr: string }
  /** Resolves to the exit code, and to null when a signal has ended it. */
  readonly exited: Promise<number | null>
  /** Waits for a text in what it has said. */
  says(text: string): Promise<void>
  type(line: string): void
  /** The servers that it runs now. */
  servers(): readonly number[]
}

export function startApp(args: readonly string[], env: Readonly<Record<string, string>> = {}): App {
  const child = spawn(process.execPath, [...FROM_SOURCE, MAIN, ...args], {
    stdio: 'pipe',
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (said.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said.stderr += text))
  child.stdin.on('error', () => {})
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    process: child,
    said,
    exited: once(child, 'close').then(([code]) => code as number | null),
    says: (text) => vi.waitFor(() => expect(said.stdout + said.stderr).toContain(text)),
    type: (line) => void child.stdin.write(`${line}\n`),
    servers: () => groupsBelow(child.pid as number),
  }
}

/** Servers lead groups of their own, other than what compiles TypeScript. */
function groupsBelow(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      const [, above, group] = fieldsOf(Number(name)) ?? []
      return above === String(parent) && group === name
    })
    .map(Number)
}

/** State, parent and group of a process. */
function fieldsOf(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

/** Whether a process runs, zombies left out. */
export function runs(pid: number): boolean {
  const state = fieldsOf(pid)?.[0]
  return state !== undefined && !['Z', 'X'].includes(state)
}
