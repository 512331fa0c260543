import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { isObject } from '@jetway/core/protocol'
import type { Finding } from '../finding.ts'
import { verdictsOf } from '../verdicts.ts'
import { isInRange } from './node-range.ts'
import { packageOf } from '../../server-file/package.ts'
import { isTypeScript, type NodeRun } from './script.ts'

const { ok, fault } = verdictsOf('node')
const TIMEOUT_MS = 10_000

/**
 * Checks whether a script's package supports the Node.js that runs it, and whether that Node.js can run
 * TypeScript if needed.
 */
export async function checkNode(run: NodeRun): Promise<readonly Finding[]> {
  const { node, script, loader } = run
  const found = await versionOf(run)
  if (found === undefined)
    return [fault(`${node} does not print its version`, 'Write the absolute path of Node.js in "command"')]
  const { version, runsTypeScript } = found
  if (isTypeScript(script) && !loader && !runsTypeScript)
    return [
      fault(
        `${script} is TypeScript, which Node.js ${version} does not run`,
        'Build it, and write the path of the JavaScript file in "args"',
      ),
    ]
  return [enginesFinding(node, version, script)]
}

function enginesFinding(node: string, version: string, script: string): Finding {
  const manifest = packageOf(script)
  const engines = manifest?.content['engines']
  const range = isObject(engines) ? engines['node'] : undefined
  const found = `Node.js ${version} (${node})`
  if (manifest === undefined || typeof range !== 'string') return ok(found)
  if (isInRange(version, range) !== false) return ok(`${found} for engines ${range}`)
  return fault(
    `${found} is not in ${range}, which engines in ${manifest.folder}/package.json asks for`,
    `Write the path of a Node.js ${range} in "command"`,
  )
}

interface NodeVersion {
  readonly version: string
  readonly runsTypeScript: boolean
}

/**
 * Starts Node.js in the same way as the server. The program may come from a project, so it receives no more
 * of the environment than the server would.
 */
async function versionOf({ node, env, cwd }: NodeRun): Promise<NodeVersion | undefined> {
  const code = 'process.version + " " + Boolean(process.features.typescript)'
  try {
    const { stdout } = await promisify(execFile)(node, ['-p', code], { timeout: TIMEOUT_MS, env, cwd })
    const [, version, typescript] = /^v(\S+) (true|false)\s*$/.exec(stdout) ?? []
    return version === undefined ? undefined : { version, runsTypeScript: typescript === 'true' }
  } catch {
    return undefined
  }
}
