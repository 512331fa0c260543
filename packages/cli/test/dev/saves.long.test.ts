/**
 * Saves files while clients call without pause. No call may remain unanswered or be answered incorrectly or
 * twice, and sessions must survive.
 */
import { FULL } from '@jetway-apps/test-support'
import { it, onTestFinished } from 'vitest'
import { CLIENTS, type DevClient, type Target } from './support/clients.ts'
import { createProject, definition, TRANSPORTS } from './support/project.ts'
import { saveWhileCalling } from './support/saves.ts'

const SAVES = FULL ? 200 : 20
const NAMES = Object.keys(CLIENTS)

/** Each stdio client has its own `jetway dev`, whereas HTTP clients share one. */
const RUNS: readonly (readonly [string, ...string[]])[] = [
  ...NAMES.map((name) => ['stdio', name] as const),
  ['HTTP', ...NAMES],
]

it.for(RUNS)(
  'jetway dev keeps responding while files are saved, over %s with %s',
  { timeout: 1_800_000 },
  async ([transport, ...names], { task }) => {
    const project = await createProject(definition())
    const target = (await TRANSPORTS[transport]?.(project)) as Target
    const clients: Record<string, DevClient> = {}
    for (const name of names) {
      const client = (await CLIENTS[name]?.(target)) as DevClient
      onTestFinished(() => client.close())
      clients[name] = client
    }
    Object.assign(task.meta, { figure: `${transport}, ${await saveWhileCalling(project, clients, SAVES)}` })
  },
)
