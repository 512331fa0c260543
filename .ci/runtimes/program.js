import { existsSync } from 'node:fs'
import { env } from 'node:process'
import { fileURLToPath } from 'node:url'

const BUILT = env['JETWAY_BUILT'] !== undefined

const tsx = ['--import', import.meta.resolve('tsx')]

/** Without a build, the packages' sources are loaded. */
const options = BUILT ? tsx : ['--conditions=jetway:source', ...tsx]

export function program(file) {
  const source = fileURLToPath(file)
  const [, member, path] = /^(.*[\\/]apps[\\/][^\\/]+[\\/])src([\\/].*)\.ts$/.exec(source) ?? []
  if (!BUILT || member === undefined) return [...options, source]
  const built = `${member}dist${path}.js`
  if (!existsSync(built)) throw new Error(`${built} does not exist. Run: npm run build`)
  return [built]
}
