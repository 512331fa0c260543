import type { Host } from './host.ts'
import type { Place } from './place.ts'

/**
 * Returns whether the host's file exists, or at least its folder, unless that folder is the user's home folder.
 */
export function isPresent(host: Host, place: Place): boolean {
  return host.files(place).some((file) => {
    const [folder, name] = split(file)
    if (place.list(folder).includes(name)) return true
    const [parent, own] = split(folder)
    return folder !== place.home && place.list(parent).includes(own)
  })
}

function split(path: string): readonly [folder: string, name: string] {
  const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
  return [path.slice(0, at), path.slice(at + 1)]
}
