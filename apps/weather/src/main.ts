import process from 'node:process'
import { CommandLineError, runApp } from '@jetway-apps/runner'
import { embeddedSource } from './embedded-source.ts'
import { nwsSource } from './nws-source.ts'
import { createWeatherServer } from './server.ts'

await runApp({
  name: 'weather',
  entry: import.meta.url,
  argv: process.argv.slice(2),
  flags: {
    live: { type: 'boolean', help: 'ask api.weather.gov instead of the sample data' },
    'api-url': { type: 'string', placeholder: 'URL', help: 'another address of that service, with --live' },
  },
  sample: { tool: 'get_forecast', arguments: { city: 'Denver' } },
  create: ({ flags, options }) =>
    createWeatherServer({
      source: flags['live'] ? liveSource(flags['api-url']) : embeddedSource(),
      ...options,
    }),
})

function liveSource(baseUrl: unknown): ReturnType<typeof nwsSource> {
  if (typeof baseUrl !== 'string') return nwsSource()
  if (!/^https?:/.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new CommandLineError(`--api-url is an http or https address, not "${baseUrl}"`)
  }
  return nwsSource({ baseUrl })
}
