import type { Theme } from 'vitepress'
// The variant without web fonts: jetway.css uses the reader's system fonts.
import DefaultTheme from 'vitepress/theme-without-fonts'
import './jetway.css'

const theme: Theme = { extends: DefaultTheme }
export default theme
