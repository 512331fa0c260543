import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The folders in `pnpm-workspace.yaml` that contain members: those that its patterns name with `/*`. */
const folders = Array.from(
  readFileSync(`${root}pnpm-workspace.yaml`, 'utf8').matchAll(/^ {2}- (\S+)\/\*$/gm),
  ([, folder]) => folder,
)

export const members = folders.flatMap((folder) =>
  readdirSync(root + folder)
    .map((name) => `${folder}/${name}`)
    // If a member exists only on another branch, an empty folder may be left in its place.
    .filter((member) => existsSync(`${root}${member}/package.json`)),
)
