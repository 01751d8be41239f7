import { createHash } from 'node:crypto';
import { dashboardPath } from '../../access/credentials/session.ts';

const style = `
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: #151a21; color: #e6e9ee;
  font: 16px/1.5 system-ui, sans-serif }
form { width: 20rem; max-width: 90vw; display: grid; gap: 1rem }
h1 { font-size: 1.25rem; margin: 0 }
label { display: grid; gap: .25rem }
input, button { font: inherit; padding: .5rem .75rem; border-radius: .375rem; border: 1px solid #5c6878 }
input { background: #1f2630; color: inherit }
button { background: #2563eb; border-color: #2563eb; color: #fff; cursor: pointer }
p { margin: 0; color: #fca5a5 }
`;

/** Nothing but this style and this form. */
export const loginPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page that asks for e-mail and password, and says why the last login failed. */
export function loginPage(problem: string): string {
  return page(
    'Log in',
    `${dashboardPath}/login`,
    `${problem === '' ? '' : `<p role="alert">${problem}</p>`}
<label>E-mail <input name="email" type="email" autocomplete="username" maxlength="254" required autofocus></label>
<label>Password <input name="password" type="password" autocomplete="current-password" maxlength="1024" required></label>
<button>Log in</button>`,
  );
}

/** The page that asks whether to log out: a link alone must not log anybody out. */
export function logoutPage(): string {
  return page('Log out', `${dashboardPath}/logout`, '<button autofocus>Log out</button>');
}

function page(title: string, action: string, content: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Millrace queues</title>
<style>${style}</style>
</head>
<body>
<form method="post" action="${action}">
<h1>Millrace queues</h1>
${content}
</form>
</body>
</html>
`;
}
