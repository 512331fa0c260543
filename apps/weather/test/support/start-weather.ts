import { listening, type Running, type Serving, startNode } from '@jetway-apps/test-support/processes'
import { program } from '@jetway-tools/runtimes/program'

const MAIN = program(new URL('../../src/main.ts', import.meta.url))

/** Starts the app in its own process. */
export const startWeather = (...args: readonly string[]): Running => startNode([...MAIN, ...args])

/** Starts the app on a free port. */
export const startWeatherOnHttp = (...args: readonly string[]): Promise<Serving> =>
  listening(startWeather('--http', '--port', '0', ...args))
