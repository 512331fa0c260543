import type { McpServer } from '@jetway/core'
import { embeddedSource } from './embedded-source.ts'
import { createWeatherServer } from './server.ts'

/** The server with the sample data, for `npm run dev`. */
const server: McpServer = createWeatherServer({ source: embeddedSource() })
export default server
