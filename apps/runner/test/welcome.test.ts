import process from 'node:process'
import { expect, it } from 'vitest'
import { welcome } from '../src/welcome.ts'

const text = welcome({
  name: 'weather',
  url: 'http://127.0.0.1:3000/mcp',
  adapter: 'hono',
  tools: [{ name: 'get_alerts', description: 'Alerts' }, { name: 'plain' }],
  sample: { tool: 'get_forecast', arguments: { city: 'New York' } },
  entry: '/srv/weather/main.js',
})

it('the welcome message contains the URL and the tools', () => {
  expect(text).toContain('http://127.0.0.1:3000/mcp (hono)')
  expect(text).toContain('get_alerts  Alerts')
  expect(text).toContain('plain')
})

it('the welcome message contains a command that runs the Inspector with a suitable Node.js version and the right transport', () => {
  expect(text).toContain(
    'npx -y -p node@24 -p @modelcontextprotocol/inspector@2.12.0 mcp-inspector --cli http://127.0.0.1:3000/mcp ' +
      '--transport http --method tools/call --tool-name get_forecast --tool-arg "city=New York"',
  )
})

it('the welcome message contains the configuration for Claude Desktop, with absolute paths', () => {
  const config: unknown = JSON.parse(text.slice(text.indexOf('\n{\n'), text.indexOf('\n}\n') + 2))
  expect(config).toEqual({
    mcpServers: { weather: { command: process.execPath, args: ['/srv/weather/main.js', '--stdio'] } },
  })
})
