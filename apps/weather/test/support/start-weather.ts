import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { program } from '@jetway-tools/runtimes/program'

const MAIN = program(new URL('../../src/main.ts', import.meta.url))

/** The app in its own process, with its output so far. */
export interface Weather {
  readonly process: ChildProcess
  readonly said: { stdout: string; stderr: string }
  /** Resolves to the exit code, or to null after a signal. */
  readonly exited: Promise<number | null>
}

export function startWeather(...args: readonly string[]): Weather {
  const child = spawn(process.execPath, [...MAIN, ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  const said = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (said.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said.stderr += text))
  return { process: child, said, exited: once(child, 'close').then(([code]) => code as number | null) }
}

export interface ListeningWeather extends Weather {
  readonly url: string
}

/** Starts the app on a free port. */
export const startWeatherOnHttp = (...args: readonly string[]): Promise<ListeningWeather> =>
  listening(startWeather('--http', '--port', '0', ...args))

/** Waits for the line of JSON with the app's URL. */
export async function listening(weather: Weather): Promise<ListeningWeather> {
  const stderr = weather.process.stderr as Readable
  for await (const line of createInterface({ input: stderr })) {
    if (!line.startsWith('{"ready"')) continue
    // Leaving the loop pauses the stream.
    stderr.resume()
    const { url } = JSON.parse(line) as { url: string }
    return { ...weather, url }
  }
  throw new Error(`The app ended before it listened: ${weather.said.stderr}`)
}
