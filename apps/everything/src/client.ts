/**
 * The client that the conformance suite drives: `node dist/client.js URL`. It connects, lists the tools and calls the
 * first one. The name of the scenario, in the environment, chooses credentials and decides nothing else.
 */
import process from 'node:process'
import { Client } from '@jetway/client'
import { http, type HttpOptions } from '@jetway/client/http'
import { authFor, type ScenarioContext } from './client-auth.ts'

const url = process.argv[2]
const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env

if (url === undefined) {
  console.error('Usage: client.js URL')
  process.exitCode = 2
} else {
  await visit(url)
}

async function visit(server: string): Promise<void> {
  await using client = new Client({ name: 'everything-client', version: '1.0.0' })
  await client.connect(http(server, credentials()))
  const [tool] = await client.listTools()
  if (tool !== undefined) await client.callTool(tool.name, {})
}

function credentials(): HttpOptions {
  if (!scenario.startsWith('auth/')) return {}
  return { auth: authFor(scenario, JSON.parse(context) as ScenarioContext) }
}
