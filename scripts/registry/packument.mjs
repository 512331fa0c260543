/** Creates the documents that describe packages in a registry. */
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'

const BLOCK = 512

/**
 * Reads the manifest and the digests of a tarball.
 *
 * @param {Uint8Array} bytes
 */
export function readTarball(bytes) {
  const digest = (algorithm, encoding) => createHash(algorithm).update(bytes).digest(encoding)
  return {
    manifest: JSON.parse(fileIn(gunzipSync(bytes), 'package/package.json')),
    integrity: `sha512-${digest('sha512', 'base64')}`,
    shasum: digest('sha1', 'hex'),
  }
}

/** In a tar archive, each file has a header of 512 bytes, and is padded to a multiple of 512 bytes. */
function fileIn(tar, path) {
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0;) {
    const text = (from, length) =>
      tar
        .subarray(at + from, at + from + length)
        .toString('latin1')
        .replace(/\0.*$/s, '')
    const size = Number.parseInt(text(124, 12), 8)
    const start = at + BLOCK
    if (text(0, 100) === path) return tar.subarray(start, start + size).toString('utf8')
    at = start + Math.ceil(size / BLOCK) * BLOCK
  }
  throw new Error(`The tarball has no ${path}`)
}

/** Returns the document for a package that has a single version, which is therefore the latest. */
export function packumentOf({ manifest, integrity, shasum }, tarball) {
  const { name, version } = manifest
  return {
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...manifest, _id: `${name}@${version}`, dist: { tarball, integrity, shasum } } },
  }
}
