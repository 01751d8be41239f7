/** A canvas takes no variable of the style sheets: this is `--font`. */
export const fontFamily = '"Inter", system-ui, sans-serif';
