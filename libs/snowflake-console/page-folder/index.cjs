exports.PAGE_FOLDER = `${__dirname}/../dist/page`;
