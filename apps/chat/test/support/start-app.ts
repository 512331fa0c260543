import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { program } from '@jetway-tools/runtimes/program'
import { expect, onTestFinished, vi } from 'vitest'

const MAIN = program(new URL('../../src/main.ts', import.meta.url))

/** The app in a child process. */
export interface App {
  readonly process: ChildProcess
  readonly output: { stdout: string; stderr: string }
  /** Resolves to the exit code, or to null if a signal ended the process. */
  readonly exited: Promise<number | null>
  /** Waits until stdout or stderr contains a text. */
  waitForText(text: string): Promise<void>
  type(line: string): void
  /** The process ids of the running servers. */
  serverPids(): readonly number[]
}

export function startApp(args: readonly string[], env: Readonly<Record<string, string>> = {}): App {
  const child = spawn(process.execPath, [...MAIN, ...args], {
    stdio: 'pipe',
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (output.stderr += text))
  child.stdin.on('error', () => {})
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    process: child,
    output,
    exited: once(child, 'close').then(([code]) => code as number | null),
    waitForText: (text) => vi.waitFor(() => expect(output.stdout + output.stderr).toContain(text)),
    type: (line) => void child.stdin.write(`${line}\n`),
    serverPids: () => groupLeadersOf(child.pid as number),
  }
}

/** Children that lead a process group: the servers do, the TypeScript compiler does not. */
function groupLeadersOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      const [, above, group] = fieldsOf(Number(name)) ?? []
      return above === String(parent) && group === name
    })
    .map(Number)
}

/** The state, the parent and the process group of a process, and more. */
function fieldsOf(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

/** Zombies do not count as running. */
export function isRunning(pid: number): boolean {
  const state = fieldsOf(pid)?.[0]
  return state !== undefined && !['Z', 'X'].includes(state)
}
