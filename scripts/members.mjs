import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The folders of `pnpm-workspace.yaml` that contain members: those that its patterns name with `/*`. */
const folders = Array.from(
  readFileSync(`${root}pnpm-workspace.yaml`, 'utf8').matchAll(/^ {2}- (\S+)\/\*$/gm),
  ([, folder]) => folder,
)

export const members = folders.flatMap((folder) =>
  readdirSync(root + folder)
    .map((name) => `${folder}/${name}`)
    // An empty folder is left where a member was on another branch.
    .filter((member) => existsSync(`${root}${member}/package.json`)),
)
