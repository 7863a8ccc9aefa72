from teloom.frontend.te import *
