import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { DEFAULT_STATE_LIMITS } from '../src/call/input/request-state.ts'
import { ALL_PARTS } from '../src/http/endpoint.ts'
import type { EndpointOptions } from '../src/http/index.ts'
import { resolveOptions } from '../src/http/resolve-options.ts'
import type { ServerOptions } from '../src/index.ts'
import { resolveHeartbeat, resolveInputLimits, resolveLimits } from '../src/server/resolve-options.ts'
import { DEFAULT_TASK_LIMITS, type TaskLimits } from '../src/tasks/task-runner.ts'
import { withDefaults } from '../src/util/check-options.ts'

type Options = Readonly<Record<string, unknown>>
type Resolve = (options: never) => unknown

/** The documented options whose default is a number, a boolean or a string. */
function documented(page: string): [path: string, value: unknown][] {
  const text = readFileSync(new URL(`../../../docs/reference/${page}`, import.meta.url), 'utf8')
  const rows = text.matchAll(/^\| `([\w.]+)`<br>[^|]* \| `(\d[\d_]*|true|false|'[^']*')` \|/gm)
  return Array.from(rows, ([, path = '', value = '']) => [
    path,
    JSON.parse(value.replaceAll('_', '').replaceAll("'", '"')),
  ])
}

/** Returns options in which only this one is set, together with those that its group requires. */
const given = (path: string, value: unknown): Options => {
  const [first = '', ...rest] = path.split('.')
  const needed = first === 'seal' ? { keys: [new Uint8Array(32)] } : {}
  if (rest.length === 0) return value === undefined ? {} : { [first]: value }
  return { [first]: { ...needed, ...given(rest.join('.'), value) } }
}

const RESOLVERS: Readonly<Record<string, Resolve>> = {
  limits: ({ limits = {} }: ServerOptions) => ({
    ...resolveLimits(limits),
    input: resolveInputLimits(limits),
  }),
  progressHeartbeat: ({ progressHeartbeat }: ServerOptions) => resolveHeartbeat(progressHeartbeat),
  requestState: ({ requestState = {} }: ServerOptions) => withDefaults(DEFAULT_STATE_LIMITS, requestState),
  tasks: ({ tasks = {} }: { tasks?: Partial<TaskLimits> }) => withDefaults(DEFAULT_TASK_LIMITS, tasks),
}

const resolveMount: Resolve = (options: EndpointOptions) => resolveOptions(options, ALL_PARTS)

const server = documented('server-options.md').flatMap(([path, value]) => {
  const resolve = RESOLVERS[path.split('.')[0] ?? '']
  return resolve === undefined ? [] : ([[path, value, resolve]] as const)
})
const mount = documented('mount-options.md')
  .filter(([path]) => /^(?:limits|sessions|streams|legacySse)\.|^response$/.test(path))
  .map(([path, value]) => [path, value, resolveMount] as const)

it('the reference documents the defaults of server and mount options', () => {
  expect(server.length).toBeGreaterThan(15)
  expect(mount.length).toBeGreaterThan(20)
})

it.each([...server, ...mount])('%s is %j by default, as documented', (path, value, resolve) => {
  const byDefault = resolve(given(path, undefined) as never)
  expect(resolve(given(path, value) as never)).toEqual(byDefault)
  if (typeof value === 'number') expect(resolve(given(path, value + 1) as never)).not.toEqual(byDefault)
})
