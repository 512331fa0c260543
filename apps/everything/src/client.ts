/**
 * The client that the conformance suite tests: `node dist/client.js URL`. It connects, and uses each of the
 * server's tools, prompts, resources and skills once. The name of the scenario comes from the environment. It
 * determines only the credentials and the simulated user.
 */
import process from 'node:process'
import { Client, McpError } from '@jetway/client'
import { http, type HttpOptions } from '@jetway/client/http'
import { SkillRefusedError, Skills } from '@jetway/client/skills'
import { authFor, type Credentials } from './client-auth.ts'
import { handlers, plan, type PlannedCall, wantsSkill } from './client-host.ts'

/** The context that the suite passes to the client for a scenario: credentials, and the tool calls to make. */
interface ScenarioContext extends Credentials {
  readonly toolCalls?: readonly PlannedCall[]
}

const url = process.argv[2]
const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: given = '{}' } = process.env
const context = JSON.parse(given) as ScenarioContext

if (url === undefined) {
  console.error('Usage: client.js URL')
  process.exitCode = 2
} else {
  await visit(url)
}

async function visit(server: string): Promise<void> {
  await using client = new Client({ name: 'everything-client', version: '1.0.0' }, { handlers })
  await client.connect(http(server, credentials()))
  const { tools, prompts, resources } = client.server?.capabilities ?? {}
  if (tools !== undefined) await useTools(client)
  if (prompts !== undefined) await usePrompts(client)
  if (resources !== undefined) await useResources(client)
  const skills = new Skills(client)
  if (skills.offered) await useSkills(skills)
}

async function useTools(client: Client): Promise<void> {
  for (const call of plan(await client.listTools(), context.toolCalls))
    await attempt(() => client.callTool(call.name, call.arguments))
}

async function usePrompts(client: Client): Promise<void> {
  for (const { name, arguments: wanted = [] } of await client.listPrompts()) {
    const args = Object.fromEntries(wanted.map((argument) => [argument.name, 'text']))
    await attempt(() => client.getPrompt(name, args))
  }
}

async function useResources(client: Client): Promise<void> {
  for (const { uri } of await client.listResources()) await attempt(() => client.readResource(uri))
}

/** Loads the user's skills, and reads their files. */
async function useSkills(skills: Skills): Promise<void> {
  for (const skill of await skills.list()) {
    if (!wantsSkill(scenario)) continue
    await attempt(async () => {
      const loaded = await skills.load(skill)
      const files = skill.resources === 'dynamic' ? [] : skill.resources
      for (const { uri } of files) await loaded.read(uri)
    })
  }
}

/** Continues after an error, because errors are information for the model. */
async function attempt(run: () => Promise<unknown>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof McpError || error instanceof SkillRefusedError)) throw error
    console.error(`Refused: ${error.message}`)
  }
}

function credentials(): HttpOptions {
  return scenario.startsWith('auth/') ? { auth: authFor(scenario, context) } : {}
}
