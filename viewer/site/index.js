// The socket first, then the page that uses it.
import './site.js';
import '../src/app.js';
