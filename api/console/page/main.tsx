// oxlint-disable-next-line import/no-unassigned-import -- this is how a style sheet is bundled
import './style/main.css';
import { render } from 'preact';
import { readSession } from './client/session.ts';
import { Shell } from './shell/shell.tsx';

const root = document.querySelector('#console');
if (root !== null) render(<Shell />, root);
void readSession();
