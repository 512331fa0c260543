import process from 'node:process'
import { CommandLineError, runApp } from '@jetway-apps/runner'
import { embeddedSource } from './embedded-source.ts'
import { nwsSource } from './nws-source.ts'
import type { Exports } from './otlp-exports.ts'
import { createWeatherServer } from './server.ts'

/** The telemetry exports, which exist only with `--otel`. */
let exports: Exports | undefined

await runApp({
  name: 'weather',
  entry: import.meta.url,
  argv: process.argv.slice(2),
  flags: {
    live: { type: 'boolean', help: 'ask api.weather.gov instead of the sample data' },
    'api-url': { type: 'string', placeholder: 'URL', help: 'another address of that service, with --live' },
    otel: {
      type: 'string',
      placeholder: 'URL',
      bare: 'http://127.0.0.1:4318',
      help: 'send traces and metrics there by OTLP (default http://127.0.0.1:4318)',
    },
  },
  sample: { tool: 'get_forecast', arguments: { city: 'Denver' } },
  create: async ({ flags, options }) => {
    const source = flags['live'] ? liveSource(flags['api-url']) : embeddedSource()
    exports = await startExports(flags['otel'])
    return createWeatherServer({ source, ...options, ...exports?.options })
  },
  closed: async () => exports?.stop(),
})

/** Loads the OpenTelemetry SDK only if `--otel` is given. */
async function startExports(url: unknown): Promise<Exports | undefined> {
  if (typeof url !== 'string') return undefined
  if (!isHttpUrl(url)) throw new CommandLineError(`--otel is an http or https address, not "${url}"`)
  const { exportTo } = await import('./otlp-exports.ts')
  console.error(`Traces and metrics are sent to ${url}`)
  return exportTo(url)
}

function isHttpUrl(url: string): boolean {
  return /^https?:/.test(url) && URL.canParse(url)
}

function liveSource(baseUrl: unknown): ReturnType<typeof nwsSource> {
  if (typeof baseUrl !== 'string') return nwsSource()
  if (!isHttpUrl(baseUrl)) {
    throw new CommandLineError(`--api-url is an http or https address, not "${baseUrl}"`)
  }
  return nwsSource({ baseUrl })
}
