import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { defineConfig, type UserConfig } from 'tsdown'

interface Manifest {
  exports?: Record<string, string | { 'jetway:source': string }>
}

const shared: UserConfig = { format: 'esm', target: 'node20.19', fixedExtension: false, logLevel: 'warn' }

/** A library's entries are the sources its manifest exports, so the two cannot drift. */
function library(cwd: string): UserConfig {
  const { exports = {} } = JSON.parse(readFileSync(`${cwd}/package.json`, 'utf8')) as Manifest
  const sources = Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? [] : target['jetway:source'],
  )
  const entry = Object.fromEntries(sources.map((source) => [source.replace(/^\.\/src\/|\.ts$/g, ''), source]))
  return { ...shared, cwd, entry, platform: cwd === 'packages/core' ? 'neutral' : 'node', dts: { oxc: true } }
}

/** An app's `dist` mirrors its `src` file by file, so that any of them can be started as a process of its own. */
function application(cwd: string): UserConfig {
  return { ...shared, cwd, entry: ['src/**/*.ts'], unbundle: true, platform: 'node', dts: false }
}

function members(folder: string): string[] {
  return readdirSync(folder)
    .map((name) => `${folder}/${name}`)
    .filter((member) => existsSync(`${member}/src`))
}

const config: UserConfig[] = defineConfig([
  ...members('packages').map(library),
  ...members('apps').map(application),
])
export default config
