'use strict'

/**
 * The one place that loads ajv. It is CommonJS, so that it can be loaded when the first schema is compiled, which is
 * synchronous; a build puts ajv into it. Each dialect loads what it needs, and not the other two.
 */
module.exports = {
  version: require('ajv/package.json').version,
  create(dialect, options) {
    switch (dialect) {
      case 'draft-07':
        return new (require('ajv').Ajv)(options)
      case 'draft-2019-09':
        return new (require('ajv/dist/2019.js').Ajv2019)(options)
      default:
        return new (require('ajv/dist/2020.js').Ajv2020)(options)
    }
  },
}
