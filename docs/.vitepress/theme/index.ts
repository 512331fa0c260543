import type { Theme } from 'vitepress'
// Without the fonts that the theme would bring: the reader's own are there already.
import DefaultTheme from 'vitepress/theme-without-fonts'
import './jetway.css'

const theme: Theme = { extends: DefaultTheme }
export default theme
