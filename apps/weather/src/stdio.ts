import process from 'node:process'
import { serveStdio } from '@jetway/stdio'
import { embeddedSource } from './embedded-source.ts'
import { nwsSource } from './nws-source.ts'
import { createWeatherServer } from './server.ts'

/** The program that users install. `jetway.json` describes its setting. */
const isLive = process.env['WEATHER_LIVE'] === 'true'
await serveStdio(createWeatherServer({ source: isLive ? nwsSource() : embeddedSource() }))
