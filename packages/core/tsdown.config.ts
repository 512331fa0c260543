import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    'http/index': 'src/http/index.ts',
    'protocol/index': 'src/protocol/index.ts',
    'runtime/index': 'src/runtime/index.ts',
    'transport/index': 'src/transport/index.ts',
  },
  format: 'esm',
  platform: 'neutral',
  target: 'node20.19',
  dts: true,
  fixedExtension: false,
})
