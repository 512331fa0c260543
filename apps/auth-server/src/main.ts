/**
 * `npm run auth-demo`: an authorization server, a weather server that requires its tokens, and a tour of the
 * whole flow. It keeps running, so that you can connect your own host, unless the argument `--once` is given.
 */
import process from 'node:process'
import { parseArgs } from 'node:util'
import { startServers } from './serve.ts'
import { takeTour } from './tour.ts'

const { values } = parseArgs({ options: { once: { type: 'boolean', default: false } } })
const servers = await startServers()
const { issuer, url } = servers

console.log(`
Authorization server  ${issuer.issuer}
Weather server        ${url}`)

const stop = async (): Promise<void> => {
  await servers.close()
  process.exit()
}
process.once('SIGINT', () => void stop())
process.once('SIGTERM', () => void stop())

await takeTour(servers, (text) => console.log(text))

if (values.once) await stop()
console.log(`
Now connect a host of your own to ${url}
It finds the authorization server by itself. The browser shows no page: alice signs in at once.
  npx @modelcontextprotocol/inspector
  curl -i ${url}
  curl ${issuer.issuer}/.well-known/oauth-authorization-server
End it with Ctrl-C.
`)
