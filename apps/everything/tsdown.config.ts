import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: {
    main: 'src/main.ts',
  },
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  dts: false,
  fixedExtension: false,
})
